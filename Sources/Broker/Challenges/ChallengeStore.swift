import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// All open challenges. A challenge can be taken once, by the process that it was made for, before it expires.
final class ChallengeStore: Sendable {
    struct Limits: Sendable {
        /// Challenges that one prompt can answer count as one.
        var openPerUser: Int
        /// Challenges that one prompt can answer. A person can be shown this many at once.
        var alike = 32
        /// Challenges of one process for the very same thing, as its threads may make.
        var same = 8
        /// All challenges of one user, and of all users.
        var all = BudgetLimits.challenges
        /// From the challenge to the last signature.
        var life: Duration
        /// From the last signature to the repeated call.
        var grantLife: Duration = .seconds(30)
        /// From a login's report to the signature. Nobody is prompted in this time.
        var reportLife: Duration = .seconds(15)
    }

    private let limits: Limits
    private let clock: BrokerClock
    private let open = Mutex<[Challenge.ID: Challenge]>([:])
    /// When expired challenges are wiped next. There is only one timer, because each timer takes memory until it fires.
    private let nextSweep = Mutex<ContinuousClock.Instant?>(nil)
    /// Challenges that ended without an answer, for the access log.
    let ended = EndedChallenges()

    init(limits: Limits, clock: BrokerClock) {
        self.limits = limits
        self.clock = clock
    }

    /// Makes a challenge for the caller.
    /// - Throws: `LimitExceeded` if the user has too many open challenges.
    func issue(
        to caller: Caller, owner: Owner, vault: VaultID?, purposes: [Keychain.Purpose],
        subject: Challenge.Subject? = nil,
        reason: String? = nil,
        choice: SignatureChoice = .none,
        enrolment: [AuthorizationKind] = [], enrolled: [AuthorizationKind] = [], registers: [Int] = [],
        items: [Challenge.Subject] = [], passwords: [ItemID: RenewedPassword] = [:], secrets: SecretAllowance? = nil,
        newName: Challenge.Name? = nil
    ) throws(Fault) -> Challenge.ID {
        let id = try Self.newID()
        let challenge = Challenge(
            id: id, uid: caller.uid, owner: owner, process: caller.process, vault: vault, purposes: purposes,
            subject: subject, reason: reason, choice: choice, stage: .issued,
            expires: clock.now() + limits.life, enrolment: enrolment, enrolled: enrolled,
            registers: registers, items: items, passwords: passwords, secrets: secrets, newName: newName)
        let isTaken = open.withLock { open in
            ended.add(Self.dropExpired(&open, at: clock.now()), OutcomeWord.expired)
            ended.add(self.makeRoom(for: challenge, in: &open), OutcomeWord.cancelled)
            if !self.hasRoom(for: challenge, in: open) {
                ended.add(Self.dropDead(&open, of: caller.uid), OutcomeWord.cancelled)
            }
            guard self.hasRoom(for: challenge, in: open) else { return false }
            open[id] = challenge
            return true
        }
        guard isTaken else {
            throw Fault(
                .limitExceeded, "This user has too many open authentications already; finish or cancel one first.")
        }
        sweep(after: limits.life)
        return id
    }

    /// If a process repeats a request without answering it, its oldest challenge that nobody has begun to answer is replaced.
    private func makeRoom(for challenge: Challenge, in open: inout [Challenge.ID: Challenge]) -> [Challenge] {
        let same = open.values.filter { $0.isReplaceable(by: challenge) }.sorted { $0.expires < $1.expires }
        let replaced = Array(same.dropLast(limits.same - 1))
        for old in replaced { open[old.id] = nil }
        return replaced
    }

    private func hasRoom(for challenge: Challenge, in open: [Challenge.ID: Challenge]) -> Bool {
        let others = open.values.filter { $0.uid == challenge.uid && !$0.isReport }
        guard others.count < max(limits.all.user, limits.openPerUser) else { return false }
        // A user with few challenges gets one even if others have taken nearly all.
        guard open.count < (others.count < limits.all.ensured ? limits.all.all : limits.all.open) else { return false }
        let alike = others.count { $0.isAlike(challenge) }
        if alike > 0 { return alike < limits.alike }
        var prompts: [Challenge] = []
        for other in others where !prompts.contains(where: other.isAlike) { prompts.append(other) }
        return prompts.count < limits.openPerUser
    }

    /// Makes a challenge for a login that was reported to the authenticator. It does not count as one of the user's open challenges. A program
    /// that keeps all of those busy must not stop a login from opening the vault.
    func report(
        of uid: UInt32, by authenticator: Caller, vault: VaultID
    ) throws(Fault) -> Challenge.ID {
        let id = try Self.newID()
        let challenge = Challenge(
            id: id, uid: uid, owner: .user(uid), process: authenticator.process, vault: vault, purposes: [.unlock],
            subject: nil, reason: nil, choice: .unlock,
            stage: .described(connection: authenticator.connection),
            expires: clock.now() + limits.reportLife, isReport: true)
        open.withLock { $0[id] = challenge }
        sweep(after: limits.reportLife)
        return id
    }

    private static func newID() throws(Fault) -> Challenge.ID {
        do throws(CryptographyError) { return Base64URL.encode(try Random.bytes(32)) } catch {
            throw Fault(.failed, "The broker has no random numbers.")
        }
    }

    /// Describes a challenge to an authenticator, once. The authenticator's client must be the process that the challenge was made for.
    /// - Parameter program: the process's program, as the authenticator resolved it.
    func describe(
        _ id: Challenge.ID, uid: UInt32, process: ProcessIdentity, program: String? = nil, connection: UInt64
    ) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.live(id, in: open, at: clock.now())
            guard challenge.uid == uid else { throw .anothersProcess }
            guard challenge.process == process else { throw .anothersProcess }
            guard challenge.stage == .issued else { throw .outOfOrder }
            open[id]?.stage = .described(connection: connection)
            open[id]?.program = program
            return challenge
        }
    }

    /// Other open challenges of the same process that the same proof would answer.
    func companions(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) -> [Challenge] {
        try open.withLock { open throws(ChallengeRefusal) in
            let now = clock.now()
            let challenge = try Self.described(id, by: connection, in: open, at: now)
            guard challenge.sharesPrompts else { return [] }
            return open.values.filter { other in
                other.id != id && other.stage != .granted && !other.isReport && other.expires > now
                    && other.isAlike(challenge)
            }.sorted { $0.expires < $1.expires }
        }
    }

    /// The challenge that this authenticator is working on.
    func current(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            try Self.described(id, by: connection, in: open, at: clock.now())
        }
    }

    /// The vault was made. Sets what must be signed now.
    func continueCreation(
        _ id: Challenge.ID, connection: UInt64, vault: VaultID, _ choice: SignatureChoice
    ) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            _ = try Self.described(id, by: connection, in: open, at: clock.now())
            open[id]?.vault = vault
            open[id]?.choice = choice
        }
    }

    /// The person agreed to a renewal of all keys. The challenge's life starts anew, because the renewal takes time.
    func beginRenewal(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            _ = try Self.described(id, by: connection, in: open, at: clock.now())
            open[id]?.expires = clock.now() + limits.life
        }
        sweep(after: limits.life)
    }

    /// The successor is filled. Its own opening must be signed next, before the registry is told.
    func continueRenewal(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.choice.isComplete else { throw .outOfOrder }
            open[id]?.choice = .unlock
            open[id]?.passwords = [:]
        }
    }

    /// This connection has done all that it can for a renewal of all keys.
    func finishRenewal(_ id: Challenge.ID, connection: UInt64, _ outcome: RenewalOutcome) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            var challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.purposes == [.rotate], challenge.choice.isComplete else { throw .outOfOrder }
            challenge.renewal = outcome
            challenge.passwords = [:]
            challenge.stage = .granted
            challenge.expires = clock.now() + limits.grantLife
            open[id] = challenge
        }
        sweep(after: limits.grantLife)
    }

    /// The kinds that an item is to be bound to are available, or the owner has consented. Neither needs a signature.
    func finishUnsigned(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.purposes == [.enrolment] || challenge.purposes == [.accept] else { throw .outOfOrder }
            open[id]?.stage = .granted
            open[id]?.expires = clock.now() + limits.grantLife
        }
        sweep(after: limits.grantLife)
    }

    /// Begins one of the signatures. Each can be begun once, and only together with those of the same alternative.
    func begin(_ id: Challenge.ID, _ index: Int, connection: UInt64) throws(ChallengeRefusal) -> (
        Challenge, Challenge.Authorization
    ) {
        try open.withLock { open throws(ChallengeRefusal) in
            var challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard let authorization = challenge.choice.begin(index) else { throw .outOfOrder }
            open[id] = challenge
            return (challenge, authorization)
        }
    }

    /// Keeps the root that a signature released, until the registry names its replacement. The root is dropped with the challenge.
    ///
    /// - Parameter name: the Name of the sealed object, if `root` is the new one; nil for the root in use.
    func hold(
        _ root: SecretBytes, sealedAs name: [UInt8]? = nil, for id: Challenge.ID, connection: UInt64
    ) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard (challenge.heldRoot == nil) == (name == nil), challenge.resealed == nil, !challenge.isReport else {
                throw .outOfOrder
            }
            open[id]?.heldRoot = root
            open[id]?.resealed = name
        }
    }

    /// One signature came with a wrong password. It may be begun again, once.
    func retry(_ id: Challenge.ID, _ index: Int, connection: UInt64) -> Bool {
        open.withLock { open in
            // `try?`: a challenge that is gone cannot go on.
            guard var challenge = try? Self.described(id, by: connection, in: open, at: clock.now()),
                challenge.wrongPasswords == 0, challenge.choice.beginAgain(index)
            else { return false }
            challenge.wrongPasswords += 1
            open[id] = challenge
            return true
        }
    }

    /// One signature was good. After the last one of an alternative, the challenge's process may take it for a short while.
    /// - Parameters:
    ///   - agreement: what the constraint key agreed on, or the recovery key; nil for the unlock root.
    ///   - means: how the person was recognised; nil if they were asked for this challenge.
    func finish(
        _ id: Challenge.ID, _ index: Int, connection: UInt64, agreement: SecretBytes?, means: Challenge.Means? = nil
    ) throws(ChallengeRefusal) {
        let isGranted = try open.withLock { open throws(ChallengeRefusal) in
            var challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.choice.finish(index) else { throw .outOfOrder }
            if let agreement { challenge.agreements[challenge.choice.authorizations[index].role] = agreement }
            challenge.means = means
            // A renewal of all keys continues after its signatures, so it is not granted here.
            let isGranted = challenge.choice.isComplete && challenge.purposes != [.rotate]
            if isGranted {
                // Roots that were released to be sealed again are not given to any call.
                if challenge.resealsRoots { challenge.agreements = [:] }
                challenge.stage = .granted
                challenge.expires = clock.now() + limits.grantLife
            }
            open[id] = isGranted && challenge.isReport ? nil : challenge
            return isGranted
        }
        if isGranted { sweep(after: limits.grantLife) }
    }

    /// Takes a granted challenge for the repeated call, and forgets it.
    func redeem(_ id: Challenge.ID, by caller: Caller) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.live(id, in: open, at: clock.now())
            // A process that guesses another's challenge must not be able to spoil it, so it stays.
            guard challenge.uid == caller.uid else { throw .anothersProcess }
            guard challenge.process == caller.process else { throw .anothersProcess }
            open[id] = nil
            guard challenge.stage == .granted else { throw .notGranted }
            return challenge
        }
    }

    /// The process that the challenge was made for takes its request back.
    func withdraw(_ id: Challenge.ID, by caller: Caller, about owner: Owner) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.live(id, in: open, at: clock.now())
            guard challenge.uid == caller.uid, challenge.process == caller.process, challenge.owner == owner else {
                throw .anothersProcess
            }
            // Once a person is being asked, only the authenticator brings the answer.
            guard challenge.stage == .issued else { throw .outOfOrder }
            open[id] = nil
            return challenge
        }
    }

    func isOpen(_ id: Challenge.ID) -> Bool {
        // `try?`: an error means that the challenge is not open.
        open.withLock { open in (try? Self.live(id, in: open, at: clock.now())) != nil }
    }

    /// Whether the process has a challenge that is open or granted but not yet taken.
    func hasOpen(of process: ProcessIdentity) -> Bool {
        let now = clock.now()
        return open.withLock { $0.values.contains { $0.process == process && $0.expires > now } }
    }

    func drop(_ id: Challenge.ID) { _ = open.withLock { $0.removeValue(forKey: id) } }

    /// Drops every challenge about a locked vault, answered or not. If a user's own vault is locked, their challenges about groups' vaults go
    /// too, because those need it open.
    ///
    /// - Parameter kept: a challenge that goes on.
    func dropAll(about owner: Owner, but kept: Challenge.ID? = nil) {
        open.withLock { open in
            let dropped = open.values.filter { challenge in
                if challenge.id == kept { return false }
                guard case .group = challenge.owner else { return challenge.owner == owner }
                return challenge.owner == owner || owner == .user(challenge.uid)
            }
            for challenge in dropped { open[challenge.id] = nil }
            ended.add(dropped, OutcomeWord.locked)
        }
    }

    /// Another unlock root is now in use. Drops the challenges that would release the former root, or have released it.
    func dropUnlocking(_ owner: Owner, but kept: Challenge.ID) {
        open.withLock { open in
            open = open.filter { id, challenge in
                id == kept || challenge.owner != owner
                    || !challenge.choice.authorizations.contains { $0.role == .unlockRoot }
            }
        }
    }

    func dropAll() { open.withLock { $0.removeAll() } }

    /// If the authenticator's connection is gone, its challenges can never be finished.
    func connectionEnded(_ connection: UInt64) {
        open.withLock { open in
            let dropped = open.values.filter { $0.stage == .described(connection: connection) }
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
