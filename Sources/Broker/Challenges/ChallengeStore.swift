import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// All open challenges. A challenge can be taken once, by the process that it was made for, before it expires.
final class ChallengeStore: Sendable {
    private let limits: ChallengeLimits
    private let clock: BrokerClock
    private let open = Mutex<[Challenge.ID: Challenge]>([:])
    /// When expired challenges are wiped next. There is only one timer, because each timer takes memory until it fires.
    private let nextSweep = Mutex<ContinuousClock.Instant?>(nil)
    /// Challenges that ended without an answer, for the access log.
    let ended = EndedChallenges()
    /// Ends a connection of the authenticator's.
    private let hangUp = Mutex<(@Sendable (UInt64) -> Void)?>(nil)

    init(limits: ChallengeLimits, clock: BrokerClock) {
        self.limits = limits
        self.clock = clock
    }

    /// Makes a challenge for the caller.
    /// - Throws: `LimitExceeded` if the user has too many open challenges.
    func issue(
        _ request: Challenge.Request, to caller: Caller, owner: Owner, vault: VaultID?, reason: String? = nil,
        enrolled: [AuthorizationKind] = [], forOthers: Bool = false, secrets: SecretAllowance? = nil
    ) throws(Fault) -> Challenge.ID {
        let id = try Self.newID()
        let challenge = Challenge(
            id: id, uid: caller.uid, owner: owner, process: caller.process, traits: caller.traits, vault: vault,
            reason: reason, enrolled: enrolled, forOthers: forOthers, life: ChallengeLife(request),
            expires: clock.now() + limits.life, secrets: secrets)
        let isTaken = open.withLock { open in
            ended.add(Self.dropExpired(&open, at: clock.now()), OutcomeWord.expired)
            ended.add(limits.makeRoom(for: challenge, in: &open), OutcomeWord.cancelled)
            if !limits.hasRoom(for: challenge, in: open) {
                ended.add(Self.dropDead(&open, of: caller.uid), OutcomeWord.cancelled)
            }
            guard limits.hasRoom(for: challenge, in: open) else { return false }
            open[id] = challenge
            return true
        }
        guard isTaken else {
            throw Fault(
                .limitExceeded, "this user has too many open authentications already",
                advice: "finish or cancel one first")
        }
        sweep(after: limits.life)
        return id
    }

    /// Makes a challenge for a login that was reported to the authenticator. It does not count as one of the user's open challenges. A program
    /// that keeps all of those busy must not stop a login from opening the vault.
    func report(
        of uid: UInt32, by authenticator: Caller, vault: VaultID
    ) throws(Fault) -> Challenge.ID {
        let id = try Self.newID()
        let challenge = Challenge(
            id: id, uid: uid, owner: .user(uid), process: authenticator.process, traits: authenticator.traits,
            vault: vault, reason: nil, enrolled: [],
            life: ChallengeLife(ofLoginOver: authenticator.connection), expires: clock.now() + limits.reportLife)
        open.withLock { $0[id] = challenge }
        sweep(after: limits.reportLife)
        return id
    }

    /// From the last signature to the repeated call.
    var grantLife: Duration { limits.grantLife }

    private static func newID() throws(Fault) -> Challenge.ID {
        do throws(CryptographyError) { return Base64URL.encode(try Random.bytes(32)) } catch {
            throw Fault(.failed, "the broker has no random numbers")
        }
    }

    /// Takes one step in a challenge's life, and sets its time as the step says.
    private func step<Value: Sendable>(
        _ id: Challenge.ID,
        _ body: (inout Challenge) throws(ChallengeRefusal) -> (Value, ChallengeLife.Action)
    ) throws(ChallengeRefusal) -> Value {
        let (value, action) = try open.withLock { open throws(ChallengeRefusal) in
            var challenge = try Self.live(id, in: open, at: clock.now())
            let (value, action) = try body(&challenge)
            switch action {
            case .none: break
            case .restartAnswer: challenge.expires = clock.now() + limits.life
            case .startGrant: challenge.expires = clock.now() + limits.grantLife
            case .end: break
            }
            open[id] = action == .end ? nil : challenge
            return (value, action)
        }
        switch action {
        case .none, .end: break
        case .restartAnswer: sweep(after: limits.life)
        case .startGrant: sweep(after: limits.grantLife)
        }
        return value
    }

    private func step(
        _ id: Challenge.ID, _ body: (inout ChallengeLife) throws(ChallengeRefusal) -> ChallengeLife.Action
    ) throws(ChallengeRefusal) {
        try step(id) { (challenge) throws(ChallengeRefusal) in ((), try body(&challenge.life)) }
    }

    // MARK: The conversation

    /// Begins a conversation with the authenticator about the challenge. Its client must be the process that asked.
    func describe(
        _ id: Challenge.ID, uid: UInt32, process: ProcessIdentity, program: String? = nil, connection: UInt64
    ) throws(ChallengeRefusal) -> Challenge {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            guard challenge.uid == uid else { throw .anothersProcess }
            guard challenge.process == process else { throw .anothersProcess }
            try challenge.life.describe(over: connection)
            challenge.program = program
            return (challenge, .none)
        }
    }

    /// Counts a call of the conversation, if the challenge's request permits it now.
    func permit(_ call: PrivateCall, _ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) -> Challenge {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            try challenge.life.permit(call, over: connection)
            return (challenge, .none)
        }
    }

    /// Other open challenges of the same process that the same proof would answer.
    func companions(of challenge: Challenge) -> [Challenge] {
        guard challenge.request.sharesPrompts else { return [] }
        let now = clock.now()
        return open.withLock { open in
            open.values.filter { other in
                other.id != challenge.id && !other.life.isGranted && !other.request.isLogin && other.expires > now
                    && other.request.sharesPrompts && other.isAlike(challenge)
            }.sorted { $0.expires < $1.expires }
        }
    }

    /// The vault was made. It must be opened now.
    func makeVault(_ vault: VaultID, for id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            try challenge.life.makeVault(over: connection)
            challenge.vault = vault
            return ((), .none)
        }
    }

    /// Begins one of the signatures.
    func begin(_ id: Challenge.ID, _ index: Int, connection: UInt64) throws(ChallengeRefusal) -> Challenge.Authorization
    {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            (try challenge.life.begin(index, over: connection), .none)
        }
    }

    /// One signature came with a wrong password.
    /// - Returns: whether it may be begun again.
    func retry(_ id: Challenge.ID, _ index: Int, connection: UInt64) -> Bool {
        do throws(ChallengeRefusal) {
            try step(id) { (life) throws(ChallengeRefusal) in
                try life.retry(index, over: connection)
                return .none
            }
            return true
        } catch { return false }
    }

    /// One signature was good.
    func finish(
        _ id: Challenge.ID, _ index: Int, connection: UInt64, agreement: SecretBytes?, means: Challenge.Means? = nil
    ) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in
            try life.finish(index, over: connection, agreement: agreement, means: means)
        }
    }

    /// What needs no signature was found, or the owner has consented.
    func confirm(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in try life.confirm(over: connection) }
    }

    /// Keeps the root that a signature released. It is dropped with the challenge.
    func hold(_ root: SecretBytes, for id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in
            try life.hold(root, over: connection)
            return .none
        }
    }

    /// Keeps the root's sealed replacement, until the registry names it.
    func replace(
        by root: SecretBytes, sealedAs name: [UInt8], for id: Challenge.ID, connection: UInt64
    ) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in
            try life.replace(by: root, sealedAs: name, over: connection)
            return .none
        }
    }

    func beginRenewal(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in try life.beginRenewal(over: connection) }
    }

    func fillSuccessor(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in
            try life.fillSuccessor(over: connection)
            return .none
        }
    }

    func finishRenewal(_ id: Challenge.ID, connection: UInt64, _ outcome: RenewalOutcome) throws(ChallengeRefusal) {
        try step(id) { (life) throws(ChallengeRefusal) in try life.finishRenewal(outcome, over: connection) }
    }

    // MARK: The repeated call

    /// Takes a granted challenge for the repeated call, and forgets it.
    func redeem(_ id: Challenge.ID, by caller: Caller) throws(ChallengeRefusal) -> GrantedChallenge {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            // A process that guesses another's challenge must not be able to spoil it, so it stays.
            guard challenge.uid == caller.uid else { throw .anothersProcess }
            guard challenge.process == caller.process else { throw .anothersProcess }
            // A question without an answer stays, too, so that its own end is recorded.
            let granted = GrantedChallenge(challenge: challenge, grant: try challenge.life.redeem())
            return (granted, .end)
        }
    }

    /// The process that the challenge was made for takes its request back.
    func withdraw(_ id: Challenge.ID, by caller: Caller, about owner: Owner) throws(ChallengeRefusal) -> Challenge {
        try step(id) { (challenge) throws(ChallengeRefusal) in
            guard challenge.uid == caller.uid, challenge.process == caller.process, challenge.owner == owner else {
                throw .anothersProcess
            }
            // Once a person is being asked, only the authenticator brings the answer.
            guard challenge.life.isIssued else { throw .outOfOrder }
            return (challenge, .end)
        }
    }

    // MARK: The end

    func isOpen(_ id: Challenge.ID) -> Bool {
        // `try?`: an error means that the challenge is not open.
        open.withLock { open in (try? Self.live(id, in: open, at: clock.now())) != nil }
    }

    /// Whether the process has a challenge that is open or granted but not yet taken.
    func hasOpen(of process: ProcessIdentity) -> Bool {
        let now = clock.now()
        return open.withLock { $0.values.contains { $0.process == process && $0.expires > now } }
    }

    /// Drops a challenge that was granted, if its process has ended since. Nobody repeats that call, and what the challenge
    /// still holds up may go on.
    func dropIfAbandoned(_ id: Challenge.ID) {
        open.withLock { open in
            guard let challenge = open[id], challenge.life.isGranted, challenge.isAbandoned else { return }
            open[id] = nil
            ended.add([challenge], OutcomeWord.cancelled)
        }
    }

    /// Ends a challenge, and records nothing of it.
    func drop(_ id: Challenge.ID) { _ = open.withLock { $0.removeValue(forKey: id) } }

    /// Ends a challenge that can no longer be granted, and records it.
    /// - Parameter why: the reason for the log, in one word.
    func end(_ id: Challenge.ID, _ why: String) {
        open.withLock { open in
            guard let challenge = open.removeValue(forKey: id) else { return }
            ended.add([challenge], why)
        }
    }

    /// Drops every challenge about a locked vault, answered or not. If a user's own vault is locked, their challenges about groups' vaults go
    /// too, because those need it open. A question for a finger ends at once, so that it does not take one that is meant for the lock screen.
    ///
    /// - Parameter kept: a challenge that goes on.
    func dropAll(about owner: Owner, but kept: Challenge.ID? = nil) {
        let asking = open.withLock { open in
            let dropped = open.values.filter { challenge in
                if challenge.id == kept { return false }
                guard case .group = challenge.owner else { return challenge.owner == owner }
                return challenge.owner == owner || owner == .user(challenge.uid)
            }
            for challenge in dropped { open[challenge.id] = nil }
            ended.add(dropped, OutcomeWord.locked)
            return dropped.compactMap(\.life.connectionAtReader)
        }
        guard let hangUp = hangUp.withLock({ $0 }) else { return }
        for connection in asking { hangUp(connection) }
    }

    /// - Parameter hangUp: gets the number of a connection that is to end. It must not wait.
    func endQuestions(by hangUp: @escaping @Sendable (UInt64) -> Void) { self.hangUp.withLock { $0 = hangUp } }

    /// Another unlock root is now in use. Drops the challenges that would release the former root, or have released it.
    func dropUnlocking(_ owner: Owner, but kept: Challenge.ID) {
        open.withLock { open in
            let dropped = open.values.filter { challenge in
                challenge.id != kept && challenge.owner == owner
                    && challenge.choice.authorizations.contains { $0.role == .unlockRoot }
            }
            for challenge in dropped { open[challenge.id] = nil }
            ended.add(dropped, OutcomeWord.cancelled)
        }
    }

    /// The broker stops.
    func dropAll() {
        open.withLock { open in
            ended.add(Array(open.values), OutcomeWord.cancelled)
            open.removeAll()
        }
    }

    /// If the authenticator's connection is gone, its challenges can never be finished.
    func connectionEnded(_ connection: UInt64) {
        open.withLock { open in
            let dropped = open.values.filter { $0.life.isDescribed(over: connection) }
            for challenge in dropped { open[challenge.id] = nil }
            ended.add(dropped, OutcomeWord.cancelled)
        }
    }

    /// Wipes challenges when they expire, even if nobody asks for them again.
    private func sweep(after time: Duration) {
        let due = clock.now() + time
        let isSooner = nextSweep.withLock { next in
            if let next, next <= due { return false }
            next = due
            return true
        }
        guard isSooner else { return }
        clock.after(time) { [weak self] in self?.sweepNow(due) }
    }

    private func sweepNow(_ due: ContinuousClock.Instant) {
        nextSweep.withLock { if $0 == due { $0 = nil } }
        let now = clock.now()
        let next = open.withLock { open in
            ended.add(Self.dropExpired(&open, at: now), OutcomeWord.expired)
            return open.values.map(\.expires).min()
        }
        // At least one second, because the timer's clock and this one may differ a little.
        if let next { sweep(after: max(next - now, .seconds(1))) }
    }
}

/// Whether there is room for another challenge.
extension ChallengeLimits {
    /// If a process repeats a request without answering it, its oldest challenge that nobody has begun to answer is
    /// replaced.
    /// - Returns: the replaced challenges.
    func makeRoom(for challenge: Challenge, in open: inout [Challenge.ID: Challenge]) -> [Challenge] {
        let same = open.values.filter { $0.isReplaceable(by: challenge) }.sorted { $0.expires < $1.expires }
        let replaced = Array(same.dropLast(self.same - 1))
        for old in replaced { open[old.id] = nil }
        return replaced
    }

    func hasRoom(for challenge: Challenge, in open: [Challenge.ID: Challenge]) -> Bool {
        let others = open.values.filter { $0.uid == challenge.uid && !$0.request.isLogin }
        guard others.count < max(all.user, openPerUser) else { return false }
        // A user with few challenges gets one even if others have taken nearly all.
        guard open.count < (others.count < all.ensured ? all.all : all.open) else { return false }
        let alike = others.count { $0.isAlike(challenge) }
        if alike > 0 { return alike < self.alike }
        var prompts: [Challenge] = []
        for other in others where !prompts.contains(where: other.isAlike) { prompts.append(other) }
        return prompts.count < openPerUser
    }
}
