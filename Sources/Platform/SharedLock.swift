import CLinux
import Glibc

/// A shared lock on one byte of a file (fcntl(2), open file description locks). It shows other processes who takes part in something. Several may
/// hold the same place. The lock is released when the value or its process ends.
public struct SharedLock: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    private let place: Int32

    /// - Parameter place: not negative. All that give the same number share the place.
    public init(path: String, place: Int32) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { coffer_lock_shared(number, off_t(place)) }
        descriptor = file
        self.path = path
        self.place = place
    }

    /// Whether anybody holds another place now.
    public borrowing func isHeldElsewhere() throws(SystemError) -> Bool {
        let number = descriptor.number
        return try checked("look who has locked \(path)") { coffer_locked_elsewhere(number, off_t(place)) } != 0
    }
}
