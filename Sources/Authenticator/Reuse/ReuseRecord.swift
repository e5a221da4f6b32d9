import Authorization
import JSON
import Platform

/// One answer that a person lets programs of one terminal session use again (docs/prompts.md, "Reuse").
struct ReuseRecord: JSONValue, Equatable {
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
        return boot == self.boot && asked <= now && now < ends && !isOutOfRange && kept <= ReuseLimits.lifetime
    }

    /// Whether the answer was given in this session and no lock came since.
    /// - Parameter lastLock: when the user's vault was last locked, in milliseconds of the boot clock.
    func holds(in session: TerminalSession, lastLock: Int64) -> Bool {
        session.terminal == terminal && session.leader.pid == leader && session.leader.startTime == leaderStart
            && asked > lastLock
    }

}

extension ProofService: JSONValue {}

/// When an answer may be used again: for reading an item that requires the same kind of proof. Never for unlocking, for recovery or for making a
/// vault.
enum ReuseRule {
    /// - Parameter services: the PAM services that let the person in.
    static func allows(
        _ kinds: [AuthorizationKind], for request: PersonRequest, by services: Set<ProofService>
    ) -> Bool {
        guard request.kind.accepts(.earlier), !request.unlocks, !kinds.isEmpty else { return false }
        return kinds.allSatisfy { isMet($0, by: services) }
    }

    private static func isMet(_ kind: AuthorizationKind, by services: Set<ProofService>) -> Bool {
        switch kind {
        // Each service proves presence.
        case .presence: !services.isEmpty
        case .biometryAny, .biometryCurrentSet: services.contains(.biometric)
        case .passcode: services.contains(.passcode)
        case .unlock, .recovery, .boot, .circle: false
        }
    }
}
