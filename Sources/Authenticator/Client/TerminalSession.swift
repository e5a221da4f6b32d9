import Platform

/// Where a process is run: a terminal, and the session whose terminal it is, as credentials(7) has it.
struct TerminalSession: Sendable, Equatable {
    /// The terminal's device number.
    let terminal: Int32
    /// The process that began the session: a shell, mostly. Its start time tells it from a later one with its number.
    let leader: ProcessIdentity

    /// - Returns: nil for a process without a terminal, and where the session's leader has ended: nothing holds such a session together.
    init?(of process: ProcessStat) {
        guard process.terminal != 0 else { return nil }
        // A leader that cannot be looked at has ended.
        guard let leader = try? ProcessIdentity(observing: process.session),
            let stat = try? ProcessStat(pid: process.session), stat.startTime == leader.startTime,
            stat.session == process.session, stat.terminal == process.terminal
        else { return nil }
        self.init(terminal: process.terminal, leader: leader)
    }

    init(terminal: Int32, leader: ProcessIdentity) {
        self.terminal = terminal
        self.leader = leader
    }
}
