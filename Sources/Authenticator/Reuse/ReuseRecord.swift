import Platform

/// One answer that a person lets programs of one terminal session use again (docs/prompts.md, "Reuse").
struct ReuseRecord: Codable, Equatable {
    /// Which start of the machine it was made in.
    let boot: String
    /// The terminal's device number.
    let terminal: Int32
    let leader: Int32
    let leaderStart: UInt64
    /// The PAM services that let the person in.
    let services: Set<ProofService>
    /// When the person began to be asked, in milliseconds of the boot clock: a lock that came in between counts.
    let asked: Int64
    /// When it is over, in milliseconds of the boot clock.
    let ends: Int64

    /// The longest time that an answer can be used again, in seconds.
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

    /// Whether it is still to be kept.
    func isAlive(boot: String, at now: Int64) -> Bool {
        let (kept, isOutOfRange) = ends.subtractingReportingOverflow(asked)
        return boot == self.boot && asked <= now && now < ends && !isOutOfRange && kept <= Self.longestKept
    }

    /// Whether it is this session's, and no lock came since.
    /// - Parameter lastLock: when the user's vault was last locked, in milliseconds of the boot clock.
    func holds(in session: TerminalSession, lastLock: Int64) -> Bool {
        session.terminal == terminal && session.leader.pid == leader && session.leader.startTime == leaderStart
            && asked > lastLock
    }

    /// With the time that the conversation itself can have taken, in milliseconds. A file that says more was not written here.
    private static let longestKept = Int64(longest + 600) * 1000
}

extension ProofService: Codable {}
