import CLinux
import Glibc

/// This very program, started again for a separate task, with a socket to it as its descriptor 3. The helper sees the socket's end when this value
/// ends.
public struct HelperProcess: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32

    /// - Parameters:
    ///   - arguments: the program's name first.
    ///   - message: the helper's first message. It must fit an empty socket, so that sending it never waits for the helper.
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

    /// Closes the socket, which tells the helper to end, and waits for that.
    /// - Returns: whether the helper has ended.
    public consuming func finish(until deadline: ContinuousClock.Instant) -> Bool {
        line.shutDown()
        return ChildProcess.wait(for: pid, until: deadline)
    }
}
