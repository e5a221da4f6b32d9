import CLinux
import Glibc

/// What stands between a program and whoever had it started (``GuardedProgram``), and ends the program when that one is gone.
public enum ProgramGuard {
    /// The descriptor that a guard has its line under.
    static let line: Int32 = 3
    /// What it says when the program runs.
    static let started = Array("started".utf8)

    /// How often a program is started that cannot be: one that was only just written may be held open by somebody for a moment yet (ETXTBSY).
    private static let attempts = 4
    /// What a program has from being asked to end until it is killed.
    private static let patience = Duration.milliseconds(500)

    /// Runs a program to its end, or to the end of whoever had it started. For a process that does nothing else.
    /// - Parameter program: its path and its arguments.
    /// - Returns: whether it ended by itself, and with status 0.
    public static func run(_ program: [String]) throws(SystemError) -> Bool {
        let line = UnixSocket(adopting: try ProcessSurroundings.adopt(Self.line))
        let signals = try SignalDescriptor([SIGTERM, SIGHUP, SIGINT, SIGQUIT])
        // Whoever came here by su may not be able to enter the folder that the other user was in.
        try checked("enter /") { unsafe chdir("/") }
        let pid = try start(program)
        let end = Descriptor(adopting: try checked("watch process \(pid)") { coffer_pidfd_open(pid) })
        // To somebody who is gone nothing needs to be said: the line has ended then, which is seen next.
        try? line.send(started + [0])
        let ready = try Readiness.wait(
            for: [(end.number, .input), (line.number, .input), (signals.number, .input)], until: nil)
        if !ready[0] {
            // Its whole group: a script's dialog too. As long as its end is not taken note of, nobody else has its number.
            kill(-pid, SIGTERM)
            _ = try end.waitToRead(until: .now + patience)
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
                guard attempt < attempts else { throw error }
                attempt += 1
                usleep(50_000)
            }
        }
    }
}
