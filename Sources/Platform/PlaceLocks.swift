import CLinux
import Glibc

/// A table of numbered places that processes take. Each place is a lock on one byte of a file (fcntl(2), open file description locks). A value's
/// places are released when the value or its process ends.
public struct PlaceLocks: ~Copyable {
    private let descriptor: Descriptor
    private let path: String

    /// - Parameter path: a file that is made if it does not exist. Its content is not used.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        self.path = path
    }

    /// Waits for a place and takes it for this value alone. Places taken this way are held only for a few calls.
    public borrowing func wait(for place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("lock \(path)") { coffer_lock_places(number, off_t(place), 1, 0, 1) }
    }

    /// Takes the first of these places that nobody else holds.
    /// - Returns: nil if all are held.
    public borrowing func takeFirst(of places: Range<Int64>) throws(SystemError) -> Int64? {
        for place in places {
            if coffer_lock_places(descriptor.number, off_t(place), 1, 0, 0) == 0 { return place }
            guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        }
        return nil
    }

    /// Takes a place that others may share.
    /// - Returns: false if another holder has it alone.
    public borrowing func share(_ place: Int64) throws(SystemError) -> Bool {
        if coffer_lock_places(descriptor.number, off_t(place), 1, 1, 0) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        return false
    }

    public borrowing func giveUp(_ place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("unlock \(path)") { coffer_unlock_places(number, off_t(place), 1) }
    }

    /// Whether anybody else holds one of these places now.
    public borrowing func isHeld(_ places: Range<Int64>) throws(SystemError) -> Bool {
        guard !places.isEmpty else { return false }
        let number = descriptor.number
        return try checked("look who has locked \(path)") {
            coffer_places_locked(number, off_t(places.lowerBound), off_t(places.upperBound - places.lowerBound))
        } != 0
    }

    /// Marks the last point that needs the places. Swift may destroy a value before its scope ends, once it is no longer used.
    public borrowing func keep() {}
}
