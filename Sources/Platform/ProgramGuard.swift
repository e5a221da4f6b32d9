import CLinux
import Glibc

/// The process between a program and the process that had it started (``GuardedProgram``). It ends the program when that process is gone.
public enum ProgramGuard {
    /// The number of the descriptor that connects a guard to that process.
    static let line: Int32 = 3
    /// The message that a guard sends when the program runs.
    static let started = Array("started".utf8)

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
        // If the other process is gone, this fails, and the wait below sees that the line has ended.
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
        return ready[0] && status == 0
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
