import CLinux
import Glibc

/// The settings of a terminal that asks, and those before. Both sides of a ``TerminalGuard`` derive them in the same way.
struct TerminalSettings {
    let before: termios

    init(of terminal: Int32) throws(SystemError) {
        var settings = termios()
        try checked("ask the terminal for its settings") { unsafe tcgetattr(terminal, &settings) }
        before = settings
    }

    /// Keys arrive one by one, are not shown, and send no signals.
    var asking: termios {
        var asking = before
        asking.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        asking.c_iflag |= tcflag_t(ICRNL)
        return asking
    }

    /// Whether the terminal is still as a prompt has left it. A shell may have made its own settings meanwhile.
    func isAsking(_ terminal: Int32) -> Bool {
        // A terminal that is gone has no settings to restore.
        guard let now = try? TerminalSettings(of: terminal).before else { return false }
        return now.c_lflag == asking.c_lflag && now.c_iflag == asking.c_iflag
    }

    /// - Parameter drops: whether typing that nobody has read is dropped.
    func restore(_ terminal: Int32, drops: Bool) {
        var settings = before
        // Nothing can be done for a terminal that does not take its settings back.
        _ = unsafe tcsetattr(terminal, drops ? TCSAFLUSH : TCSADRAIN, &settings)
    }

    func apply(_ terminal: Int32) throws(SystemError) {
        var settings = asking
        try checked("change the terminal's settings") { unsafe tcsetattr(terminal, TCSAFLUSH, &settings) }
    }
}

/// A process beside one that asks at a terminal. If that process ends while it asks, even by a SIGKILL, this one gives the terminal its echo back.
public struct TerminalGuard: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32

    /// The number of the descriptor that connects a guard to the process that asks.
    private static let line: Int32 = 3
    private static let ready = Array("ready".utf8)
    private static let done = Array("done".utf8)

    /// - Parameters:
    ///   - guardian: the path of a program that runs ``run()``, and the arguments that make it do so, its name first.
    ///   - terminal: its settings are those to restore.
    /// - Throws: ``SystemError`` if the guard cannot be started.
    init(_ guardian: (path: String, arguments: [String]), terminal: Int32) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try checked("make a pair of sockets") {
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        var line = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let itsLine = Descriptor(adopting: ends[1])
        // Two steps: the terminal's own number could be the line's in the new process.
        let own = Descriptor(adopting: try checked("move a descriptor") { coffer_duplicate_above(terminal, 10) })
        let other = Descriptor(
            adopting: try checked("move a descriptor") { coffer_duplicate_above(itsLine.number, 10) })
        _ = consume itsLine
        let launch = Launch(
            descriptors: [(own.number, 0), (other.number, Self.line)], leads: .group, restored: [SIGPIPE])
        let pid = try launch.start(guardian.path, guardian.arguments)
        _ = consume own
        _ = consume other
        guard
            try line.receiveMessage(limit: Self.ready.count, until: .now + ProgramLimits.guardAnswer) == Self.ready
        else {
            Self.reap(pid)
            throw SystemError("start \(guardian.path)", errno: ENOEXEC)
        }
        self.line = line
        self.pid = pid
    }

    /// The process that asks has restored the terminal itself.
    consuming func finish() {
        // `try?`: a guard that is gone restores nothing.
        try? line.send(Self.done + [0])
        line.shutDown()
        Self.reap(pid)
    }

    private static func reap(_ pid: Int32) {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    /// Guards the terminal at standard input until the other process says that it is done, or is gone. Call it only in a process that does nothing
    /// else.
    public static func run() throws(SystemError) {
        var line = UnixSocket(adopting: try OwnProcess.adopt(Self.line))
        // It ends with the other process, not with the terminal's keys. SIGTTOU: it may restore from the background.
        for number in [SIGTTOU, SIGTTIN, SIGTSTP, SIGINT, SIGQUIT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        let settings = try TerminalSettings(of: 0)
        try line.send(ready + [0])
        // `try?`: a broken line is an end like any other.
        if (try? line.receiveMessage(limit: done.count)) == done { return }
        if settings.isAsking(0) { settings.restore(0, drops: true) }
    }
}
