import Platform

/// One answer that a person lets programs of one terminal session use again (docs/prompts.md, "Reuse").
struct ReuseRecord: Codable, Equatable {
    /// The boot ID at the time of the answer.
    let boot: String
    /// The terminal's device number.
    let terminal: Int32
    let leader: Int32
    let leaderStart: UInt64
    /// The PAM services that let the person in.
    let services: Set<ProofService>
    /// When the person began to be asked, in milliseconds of the boot clock. A lock after that moment ends the reuse.
    let asked: Int64
    /// When the reuse ends, in milliseconds of the boot clock.
    let ends: Int64

    /// The longest time for which an answer can be used again, in seconds.
    static let longest = 300

    init(session: TerminalSession, boot: String, services: Set<ProofService>, asked: Int64, ends: Int64) {
        self.boot = boot
        self.terminal = session.terminal
        self.leader = session.leader.pid
        self.leaderStart = session.leader.startTime
        self.services = services
        self.asked = asked
        self.ends = ends
    }

    /// Whether the record is still to be kept.
    func isAlive(boot: String, at now: Int64) -> Bool {
        let (kept, isOutOfRange) = ends.subtractingReportingOverflow(asked)
        return boot == self.boot && asked <= now && now < ends && !isOutOfRange && kept <= Self.longestKept
    }

    /// Whether the answer was given in this session and no lock came since.
    /// - Parameter lastLock: when the user's vault was last locked, in milliseconds of the boot clock.
    func holds(in session: TerminalSession, lastLock: Int64) -> Bool {
        session.terminal == terminal && session.leader.pid == leader && session.leader.startTime == leaderStart
            && asked > lastLock
    }

    /// The longest possible lifetime, with the time that the conversation can have taken, in milliseconds. A file with a longer one was not written
    /// here.
    private static let longestKept = Int64(longest + 600) * 1000
}

extension ProofService: Codable {}
