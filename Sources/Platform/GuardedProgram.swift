import CLinux
import Glibc

/// Another program, connected by pipes, that never outlives this process, even if this process is killed.
///
/// A process in between, a ``ProgramGuard``, holds a socket to this one, its line. When the line ends, because this value or this process ends, the
/// guard ends the program. PR_SET_PDEATHSIG would not do: it ends the program alone and leaves a script's dialog running.
public struct GuardedProgram: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32
    /// Readable when the guard has ended. It is taken while the guard runs for certain: if nobody waits for children
    /// here, the number can be another process's as soon as the guard has ended.
    private let end: Descriptor
    private let input: Descriptor
    private let output: Descriptor
    /// A descriptor that becomes readable when nobody waits for the program.
    private let hangUp: Int32

    /// The room in a pipe that `poll` guarantees (PIPE_BUF), in bytes.
    private static let chunk = 4096

    /// - Parameters:
    ///   - guardian: the path of a program that runs ``ProgramGuard``, and the arguments that make it do so, its name first.
    ///   - program: the path of the program and its arguments.
    ///   - environment: `NAME=VALUE`; nil for this process's own.
    ///   - hangUp: a descriptor that becomes readable when nobody waits for the program; -1 for none.
    /// - Throws: ``SystemError`` if the program cannot be started.
    public init(
        _ guardian: (path: String, arguments: [String]), _ program: [String], environment: [String]? = nil,
        hangUp: Int32
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
            leads: .group,
            // A guard that ignores SIGCHLD could not wait for its child.
            restored: [SIGPIPE, SIGCHLD])
        let pid = try launch.start(guardian.path, guardian.arguments + program)
        let end = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
        _ = consume itsInput
        _ = consume itsOutput
        _ = consume itsLine
        // The guard says that the program runs. If the line ends instead, the start failed.
        guard
            try line.receiveMessage(limit: ProgramGuard.started.count, until: .now + ProgramLimits.guardAnswer)
                == ProgramGuard.started
        else {
            Self.reap(pid)
            throw SystemError("start \(program[0])", errno: ENOEXEC)
        }
        self.line = line
        self.pid = pid
        self.end = end
        self.input = input
        self.output = output
        self.hangUp = hangUp
    }

    /// Writes to the program while somebody waits for it.
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

    /// Reads the next output of the program.
    /// - Returns: nothing at the end of the output, and if nobody waits for the program.
    public func read(limit: Int) throws(SystemError) -> [UInt8] {
        guard try output.wait(for: POLLIN, unless: hangUp) else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try checked("read a program's output") { unsafe Glibc.read(output.number, &bytes, limit) }
        return Array(bytes[..<count])
    }

    /// Closes the program's input and waits for it to end. Ends it if nobody waits for it.
    /// - Returns: whether it ended by itself with status 0.
    public consuming func finish() throws(SystemError) -> Bool {
        let (pid, hangUp) = (pid, hangUp)
        var line = line
        let end = end
        _ = consume input
        let endedByItself = try end.wait(for: POLLIN, unless: hangUp)
        // The status of a child can be lost: the program that uses this may ignore SIGCHLD, or may wait for every child. So the guard says it.
        let succeeded = endedByItself && Self.hasSucceeded(&line)
        line.shutDown()
        guard try end.waitToRead(until: .now + ProgramLimits.guardAnswer) else { return false }
        Self.reap(pid)
        return succeeded
    }

    private static func hasSucceeded(_ line: inout UnixSocket) -> Bool {
        // `try?`: a guard that was killed has said nothing.
        (try? line.receiveMessage(
            limit: ProgramGuard.succeeded.count, until: .now + ProgramLimits.guardAnswer)) == ProgramGuard.succeeded
    }

    private static func reap(_ pid: Int32) {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}

extension Descriptor {
    /// Waits for an event on this descriptor.
    /// - Returns: false if the other descriptor has become readable, which takes precedence.
    fileprivate func wait(for events: Int32, unless other: Int32) throws(SystemError) -> Bool {
        var entries = [
            pollfd(fd: number, events: Int16(events), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        try checked("wait for a program") { unsafe poll(&entries, 2, -1) }
        return entries[1].revents == 0
    }
}

/// The process between a program and the process that had it started (``GuardedProgram``). It ends the program when that process is gone.
public enum ProgramGuard {
    /// The number of the descriptor that connects a guard to that process.
    static let line: Int32 = 3
    /// The message that a guard sends when the program runs.
    static let started = Array("started".utf8)
    /// The message that a guard sends when the program has ended by itself with status 0.
    static let succeeded = Array("succeeded".utf8)

    /// Runs a program until it ends, or until the process that had it started is gone. Call it only in a process that does nothing else.
    /// - Parameter program: the path and the arguments.
    /// - Returns: whether it ended by itself with status 0.
    public static func run(_ program: [String]) throws(SystemError) -> Bool {
        let line = UnixSocket(adopting: try ProcessSurroundings.adopt(Self.line))
        let signals = try SignalDescriptor([SIGTERM, SIGHUP, SIGINT, SIGQUIT])
        // After su, this process may not be able to enter the folder in which the other user was.
        try checked("enter /") { unsafe chdir("/") }
        let pid = try start(program)
        let end = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
        // `try?`: if the other process is gone, this fails, and the wait below sees that the line has ended.
        try? line.send(started + [0])
        let ready = try Readiness.wait(
            for: [(end.number, .input), (line.number, .input), (signals.number, .input)], until: nil)
        if !ready[0] {
            // Signals the whole group, which includes a script's dialog. The kernel does not reuse the ID before the process is reaped.
            kill(-pid, SIGTERM)
            _ = try end.waitToRead(until: .now + ProgramLimits.termination)
            kill(-pid, SIGKILL)
        }
        var status: Int32 = 0
        try checked("wait for process \(pid)") { unsafe waitpid(pid, &status, 0) }
        guard ready[0], status == 0 else { return false }
        // `try?`: if nobody listens, nobody wants to know.
        try? line.send(succeeded + [0])
        return true
    }

    private static func start(_ program: [String]) throws(SystemError) -> Int32 {
        var attempt = 1
        while true {
            do throws(SystemError) {
                return try Launch(leads: .group).start(program[0], program)
            } catch {
                guard attempt < ProgramLimits.attempts else { throw error }
                attempt += 1
                usleep(50_000)
            }
        }
    }
}
