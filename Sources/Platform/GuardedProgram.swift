import CLinux
import Glibc

/// Another program, run with pipes, that never outlives this process: not even where this process is killed.
///
/// A process of its own stands between the two, a ``ProgramGuard``, and holds a line to this one. When the line ends, because this value is let go of or this
/// process is gone, the guard ends the program. (What a kernel does for a parent's death, PR_SET_PDEATHSIG, ends the program alone, and a script's dialog stays.)
public struct GuardedProgram: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32
    private let input: Descriptor
    private let output: Descriptor
    /// A descriptor that becomes readable when nobody waits for the program any more.
    private let hangUp: Int32

    /// As much as `poll` promises room for (PIPE_BUF).
    private static let chunk = 4096
    /// What a guard has to start a program, and to end it: far more than it takes itself.
    private static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - guardian: the arguments, its name first, that make this very program a guard.
    ///   - program: the path of the program and its arguments.
    ///   - environment: `NAME=VALUE`; nil for this process's own.
    ///   - hangUp: a descriptor that becomes readable when nobody waits for the program any more; -1 for none.
    /// - Throws: where the program cannot be started.
    public init(
        _ guardian: [String], _ program: [String], environment: [String]? = nil, hangUp: Int32
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try checked("make a pipe") { unsafe coffer_pipe(&ends) }
        let itsInput = Descriptor(adopting: ends[0])
        let input = Descriptor(adopting: ends[1])
        try checked("make a pipe") { unsafe coffer_pipe(&ends) }
        let output = Descriptor(adopting: ends[0])
        let itsOutput = Descriptor(adopting: ends[1])
        try checked("make a pair of sockets") {
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        var line = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let itsLine = Descriptor(adopting: ends[1])
        let launch = Launch(
            environment: environment,
            descriptors: [(itsInput.number, 0), (itsOutput.number, 1), (itsLine.number, ProgramGuard.line)],
            leads: .group)
        // Whoever started this process may ignore the ends of its children, and that is inherited: then none of ours could be waited for.
        signal(SIGCHLD, SIG_DFL)
        let pid = try launch.start("/proc/self/exe", guardian + program)
        _ = consume itsInput
        _ = consume itsOutput
        _ = consume itsLine
        // Its first words; its end is as good as a no.
        guard
            try line.receiveMessage(limit: ProgramGuard.started.count, until: .now + Self.patience)
                == ProgramGuard.started
        else {
            var status: Int32 = 0
            _ = unsafe waitpid(pid, &status, 0)
            throw SystemError("start \(program[0])", errno: ENOEXEC)
        }
        self.line = line
        self.pid = pid
        self.input = input
        self.output = output
        self.hangUp = hangUp
    }

    /// Writes to the program, as long as somebody waits for it.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            guard try input.wait(for: POLLOUT, unless: hangUp) else { return }
            written += try checked("write to a program") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(input.number, $0.baseAddress! + written, min($0.count - written, Self.chunk))
                }
            }
        }
    }

    /// Reads what there is next.
    /// - Returns: nothing at the end of the program's output, and when nobody waits for it any more.
    public func read(limit: Int) throws(SystemError) -> [UInt8] {
        guard try output.wait(for: POLLIN, unless: hangUp) else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try checked("read what a program says") { unsafe Glibc.read(output.number, &bytes, limit) }
        return Array(bytes[..<count])
    }

    /// Closes the program's input and waits for its end, and ends it when nobody waits for it any more.
    /// - Returns: whether it ended by itself, and with status 0.
    public consuming func finish() throws(SystemError) -> Bool {
        let (pid, hangUp) = (pid, hangUp)
        _ = consume input
        let end = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
        let endedByItself = try end.wait(for: POLLIN, unless: hangUp)
        line.shutDown()
        guard try end.waitToRead(until: .now + Self.patience) else { return false }
        var status: Int32 = 0
        try checked("wait for process \(pid)") { unsafe waitpid(pid, &status, 0) }
        return endedByItself && status == 0
    }
}

extension Descriptor {
    /// Waits for something to happen here.
    /// - Returns: false when another descriptor has become readable; that goes first.
    fileprivate func wait(for events: Int32, unless other: Int32) throws(SystemError) -> Bool {
        var entries = [
            pollfd(fd: number, events: Int16(events), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        try checked("wait for a program") { unsafe poll(&entries, 2, -1) }
        return entries[1].revents == 0
    }
}
