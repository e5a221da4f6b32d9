import Glibc

/// An exclusive lock among processes, held on a file of its own (flock(2)); let go of when the value ends, or its process does.
public struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits for the lock. Whoever holds one holds it for a few file operations only.
    public init(path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { flock(number, LOCK_EX) }
        descriptor = file
    }

    /// Takes the lock, unless another holds it.
    public init?(unlessHeld path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw SystemError("lock \(path)", errno: errno)
        }
        descriptor = file
    }

    /// Says where the lock is needed last: a value that is not used any more may be let go of before its scope ends.
    public borrowing func keep() {}
}
