import CLinux
import Glibc

/// Another program, connected by pipes, that never outlives this process, even if this process is killed.
///
/// A process in between, a ``ProgramGuard``, holds a socket to this one, its line. When the line ends, because this value or this process ends, the
/// guard ends the program. PR_SET_PDEATHSIG would not do: it ends the program alone and leaves a script's dialog running.
public struct GuardedProgram: ~Copyable {
    private var line: UnixSocket
    private let pid: Int32
    /// Readable when the guard has ended. It is taken while the guard runs for certain: if nobody waits for children
    /// here, the number can be another process's as soon as the guard has ended.
    private let end: Descriptor
    /// nil once the program's input is closed.
    private var input: Descriptor?
    private let inputNumber: Int32
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
        _ = consume itsInput
        _ = consume itsOutput
        _ = consume itsLine
        let end = try Self.started(pid, &line, program[0])
        self.line = line
        self.pid = pid
        self.end = end
        inputNumber = input.number
        self.input = consume input
        self.output = output
        self.hangUp = hangUp
    }

    /// Waits for the guard to say that the program runs. If the line ends instead, the start failed, and the guard is reaped.
    /// - Returns: what becomes readable when the guard has ended.
    private static func started(
        _ pid: Int32, _ line: inout UnixSocket, _ program: String
    ) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            let end = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
            let said = try line.receiveMessage(
                limit: ProgramGuard.started.count, until: .now + ProgramLimits.guardAnswer)
            guard said == ProgramGuard.started else { throw SystemError("start \(program)", errno: ENOEXEC) }
            return end
        } catch {
            // Without its line, the guard ends the program and itself.
            line.shutDown()
            _ = ChildProcess.wait(for: pid, until: .now + ProgramLimits.guardAnswer)
            throw error
        }
    }

    deinit {
        line.shutDown()
        // `try?`: if the wait fails, there is nothing to reap.
        guard (try? end.waitToRead(until: .now + ProgramLimits.guardAnswer)) == true else { return }
        var status: Int32 = 0
        _ = unsafe waitpid(pid, &status, WNOHANG)
    }

    /// Writes to the program while somebody waits for it.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            guard try Self.wait(for: POLLOUT, on: inputNumber, unless: hangUp) else { return }
            // An application has the library in its process, and need not ignore SIGPIPE.
            written += try BrokenPipe.withoutSignal { () throws(SystemError) in
                try checked("write to a program") {
                    unsafe bytes.withUnsafeBytes {
                        unsafe Glibc.write(inputNumber, $0.baseAddress! + written, min($0.count - written, Self.chunk))
                    }
                }
            }
        }
    }

    /// Reads the next output of the program.
    /// - Returns: nothing at the end of the output, and if nobody waits for the program.
    public func read(limit: Int) throws(SystemError) -> [UInt8] {
        guard try Self.wait(for: POLLIN, on: output.number, unless: hangUp) else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try checked("read a program's output") { unsafe Glibc.read(output.number, &bytes, limit) }
        return Array(bytes[..<count])
    }

    /// Closes the program's input and waits for it to end. Ends it if nobody waits for it.
    /// - Returns: whether it ended by itself with status 0.
    public consuming func finish() throws(SystemError) -> Bool {
        input = nil
        let endedByItself = try Self.wait(for: POLLIN, on: end.number, unless: hangUp)
        // The status of a child can be lost: the program that uses this may ignore SIGCHLD, or may wait for every child. So the guard says it.
        // `try?`: a guard that was killed has said nothing.
        guard endedByItself,
            (try? line.receiveMessage(
                limit: ProgramGuard.succeeded.count, until: .now + ProgramLimits.guardAnswer)) == ProgramGuard.succeeded
        else { return false }
        line.shutDown()
        return try end.waitToRead(until: .now + ProgramLimits.guardAnswer)
    }

    /// Waits for an event on a descriptor.
    /// - Returns: false if the other descriptor has become readable, which takes precedence.
    private static func wait(for events: Int32, on number: Int32, unless other: Int32) throws(SystemError) -> Bool {
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

    /// Runs a program until it ends, or until the process that had it started is gone. Then its group ends, too.
    /// Call it only in a process that does nothing else.
    /// - Parameter program: the path and the arguments.
    /// - Returns: whether it ended by itself with status 0.
    public static func run(_ program: [String]) throws(SystemError) -> Bool {
        let line = UnixSocket(adopting: try OwnProcess.adopt(Self.line))
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
            // Signals the whole group, which includes a script's dialog.
            kill(-pid, SIGTERM)
            _ = try end.waitToRead(until: .now + ProgramLimits.termination)
        }
        // What a program leaves in its group ends with it, and so does its output, which is read to the end.
        // The kernel does not reuse the ID before the process is reaped.
        kill(-pid, SIGKILL)
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
