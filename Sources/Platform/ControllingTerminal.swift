import Glibc

/// The terminal of this process's session, tty(4).
public enum ControllingTerminal {
    /// Leaves the terminal, so that what a person allows its programs is not for this one. A process without a terminal stays as it is.
    /// - Throws: ``SystemError`` if the process still has its terminal.
    public static func leave() throws(SystemError) {
        guard try ProcessStat(pid: getpid()).terminal != 0 else { return }
        let terminal = try Descriptor.open("/dev/tty", O_RDWR | O_NOCTTY)
        // If the leader of a session leaves, its programs are told that the terminal hangs up, and this is one of them.
        let former = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, former) }
        try checked("leave the terminal") { ioctl(terminal.number, UInt(TIOCNOTTY)) }
    }
}
