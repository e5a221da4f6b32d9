import CLinux
import Glibc

/// This very program, started again for a task beside this process's own, with a line to it as its descriptor 3. The helper sees the line's end when this
/// value is let go of.
public struct HelperProcess: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32

    /// - Parameters:
    ///   - arguments: the program's name first.
    ///   - message: what the helper is told. Short enough for an empty socket, so that a helper that does not listen is not waited for.
    public init(_ arguments: [String], telling message: [UInt8]) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try checked("make a pair of sockets") { unsafe socketpair(AF_UNIX, type, 0, &ends) }
        let line = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let other = Descriptor(adopting: ends[1])
        try line.send(message, until: .now)
        pid = try ChildProcess.startSelf(arguments, descriptor: other.number)
        self.line = line
    }

    /// Tells the helper that it is over, and waits for it to end.
    /// - Returns: whether it has.
    public consuming func finish(until deadline: ContinuousClock.Instant) -> Bool {
        line.shutDown()
        return ChildProcess.wait(for: pid, until: deadline)
    }
}
