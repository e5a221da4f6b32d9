import CLinux
import Glibc

/// Starts the agent of a session: first a program that makes the socket, which then starts the one that serves it. So the socket is there when the
/// first program has ended, and the second one is no child of this process.
public enum AgentStart {
    /// Runs `coffer agent --start`, and waits until it has ended.
    /// - Parameter coffer: the path of the program.
    public static func run(_ coffer: String) throws(SystemError) {
        let opened = try Descriptor.open("/dev/null", O_RDWR)
        let number = opened.number
        // The three standard descriptors are set one by one, and would overwrite a lower number.
        let null = Descriptor(adopting: try checked("move a descriptor") { coffer_duplicate_above(number, 10) })
        let launch = Launch(
            descriptors: [(null.number, 0), (null.number, 1), (null.number, 2)], leads: .session, directory: "/",
            restored: [SIGPIPE, SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT])
        let pid = try launch.start(coffer, ["coffer", "agent", "--start"])
        // It is not waited for as a child: the program that uses this may wait for every child itself.
        let held = try checked("watch process \(pid)") { coffer_pidfd_open(pid) }
        let ended = try Descriptor(adopting: held).waitToRead(until: .now + ProgramLimits.guardAnswer)
        var status: Int32 = 0
        _ = unsafe waitpid(pid, &status, WNOHANG)
        guard ended else { throw SystemError("start \(coffer)", errno: ETIMEDOUT) }
    }

    /// Starts this very program again to serve a socket, which it has as its descriptor 3. Passwords pass through it, so it wipes freed memory.
    /// - Parameter environment: this process's own.
    public static func serve(
        _ listener: borrowing UnixListener, _ arguments: [String], environment: [String: String]
    ) throws(SystemError) {
        _ = try Launch(
            environment: ChildProcess.wiping(besides: environment).map { "\($0)=\($1)" },
            descriptors: [(listener.number, 3)], leads: .session, directory: "/"
        ).start("/proc/self/exe", arguments)
    }
}
