import Platform

/// The terminal and session that a process runs in, as credentials(7) describes them.
struct TerminalSession: Sendable, Equatable {
    /// The terminal's device number.
    let terminal: Int32
    /// The process that began the session, mostly a shell. Its start time tells it from a later process with the same ID.
    let leader: ProcessIdentity

    /// - Returns: nil for a process without a terminal. Also nil if the session's leader has ended, because nothing then identifies the session.
    init?(of process: ProcessStat) {
        guard process.terminal != 0 else { return nil }
        // A leader that cannot be read has ended.
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
