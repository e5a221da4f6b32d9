import CLinux
import Glibc

/// A place in a list of processes that are at the same thing, which is a lock on one byte of a file (fcntl(2), open file description locks). Several may
/// hold the same place. Given up when the value ends, or its process does.
public struct SharedLock: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    private let place: Int32

    /// - Parameter place: not negative; whoever gives the same number shares it.
    public init(path: String, place: Int32) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { coffer_lock_shared(number, off_t(place)) }
        descriptor = file
        self.path = path
        self.place = place
    }

    /// Whether another place is held at this moment.
    public borrowing func isHeldElsewhere() throws(SystemError) -> Bool {
        let number = descriptor.number
        return try checked("look who has locked \(path)") { coffer_locked_elsewhere(number, off_t(place)) } != 0
    }
}
