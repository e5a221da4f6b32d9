import CLinux
import Glibc

/// A table of numbered places that processes take, which are locks on single bytes of a file (fcntl(2), open file description locks). Whatever one value has
/// taken is given up when it ends, or its process does.
public struct PlaceLocks: ~Copyable {
    private let descriptor: Descriptor
    private let path: String

    /// - Parameter path: a file that is made where there is none; its content is not used.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        self.path = path
    }

    /// Takes a place for this value alone, and waits until it can. Who takes places in this way holds them for a few calls only.
    public borrowing func wait(for place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("lock \(path)") { coffer_lock_places(number, off_t(place), 1, 0, 1) }
    }

    /// Takes the first of these places that nobody else holds.
    /// - Returns: nil where all are held.
    public borrowing func takeFirst(of places: Range<Int64>) throws(SystemError) -> Int64? {
        for place in places {
            if coffer_lock_places(descriptor.number, off_t(place), 1, 0, 0) == 0 { return place }
            guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        }
        return nil
    }

    /// Takes a place that others may share.
    /// - Returns: false where somebody holds it alone.
    public borrowing func share(_ place: Int64) throws(SystemError) -> Bool {
        if coffer_lock_places(descriptor.number, off_t(place), 1, 1, 0) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        return false
    }

    public borrowing func giveUp(_ place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("unlock \(path)") { coffer_unlock_places(number, off_t(place), 1) }
    }

    /// Whether somebody else holds one of these places at this moment.
    public borrowing func isHeld(_ places: Range<Int64>) throws(SystemError) -> Bool {
        guard !places.isEmpty else { return false }
        let number = descriptor.number
        return try checked("look who has locked \(path)") {
            coffer_places_locked(number, off_t(places.lowerBound), off_t(places.upperBound - places.lowerBound))
        } != 0
    }

    /// Says where the places are needed last: a value that is not used any more may be let go of before its scope ends.
    public borrowing func keep() {}
}
