import Glibc

/// Job control for a process that stays beside the program that it runs. A shell waits for this process, so it stops
/// when the program does, and the program goes on when it does.
enum JobControl {
    /// They are read and not obeyed. A process that stopped by itself could take note of the program's stop afterwards,
    /// and then it would stop once more.
    static let signals = [SIGCHLD, SIGCONT, SIGTSTP]

    /// Stops this process until somebody continues it.
    static func stop() { kill(getpid(), SIGSTOP) }
}

/// What became of a child.
enum ChildChange {
    /// With the status of waitpid(2).
    case ended(Int32)
    case stopped

    init(_ status: Int32) { self = status & 0xFF == 0x7F ? .stopped : .ended(status) }

    /// - Returns: nil if nothing has happened since the last look.
    static func look(at pid: Int32) throws(SystemError) -> ChildChange? {
        var status: Int32 = 0
        let found = try checked("wait for process \(pid)") { unsafe waitpid(pid, &status, WNOHANG | WUNTRACED) }
        return found == 0 ? nil : ChildChange(status)
    }
}
