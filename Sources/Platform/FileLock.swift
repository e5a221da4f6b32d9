import CLinux
import Glibc

/// An exclusive lock between processes, held on a file of its own (flock(2)). It is released when the value or its process ends.
public struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits for the lock. Other holders keep it only for a few file operations.
    public init(path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { flock(number, LOCK_EX) }
        descriptor = file
    }

    /// Takes the lock, unless another process holds it.
    public init?(unlessHeld path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw SystemError("lock \(path)", errno: errno)
        }
        descriptor = file
    }

    /// Marks the last point that needs the lock. Swift may destroy a value before its scope ends, once it is no longer used.
    public borrowing func keep() {}
}

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
