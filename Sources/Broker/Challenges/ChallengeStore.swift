import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// All open challenges. Each is taken once, by the process it was made for, in time.
final class ChallengeStore: Sendable {
    struct Limits: Sendable {
        /// Those that one prompt can answer count as one.
        var openPerUser: Int
        /// Those that one prompt can answer: as many as a person can be shown at once.
        var alike = 32
        /// Of one process for the very same thing, as by its threads.
        var same = 8
        /// All of a user's, and all of all users'.
        var all = BudgetLimits.challenges
        /// From the challenge to the last signature.
        var life: Duration
        /// From the last signature to the repeated call.
        var grantLife: Duration = .seconds(30)
        /// From a login's report to the signature: nobody is asked meanwhile.
        var reportLife: Duration = .seconds(15)
    }

    private let limits: Limits
    private let clock: BrokerClock
    private let open = Mutex<[Challenge.ID: Challenge]>([:])
    /// When what is too old will be wiped. One timer, however many are asked for: timers take memory until they are over.
    private let nextSweep = Mutex<ContinuousClock.Instant?>(nil)
    /// Questions that ended without an answer, for the access log.
    let ended = EndedChallenges()

    init(limits: Limits, clock: BrokerClock) {
        self.limits = limits
        self.clock = clock
    }

    /// Makes a challenge for the caller.
    /// - Throws: `LimitExceeded` when the user has too many open.
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

    /// Who asks for the same thing again and again, and never answers, has the oldest question replaced that nobody has begun to answer.
    private func makeRoom(for challenge: Challenge, in open: inout [Challenge.ID: Challenge]) -> [Challenge] {
        let same = open.values.filter { $0.isReplaceable(by: challenge) }.sorted { $0.expires < $1.expires }
        let replaced = Array(same.dropLast(limits.same - 1))
        for old in replaced { open[old.id] = nil }
        return replaced
    }

    private func hasRoom(for challenge: Challenge, in open: [Challenge.ID: Challenge]) -> Bool {
        let others = open.values.filter { $0.uid == challenge.uid && !$0.isReport }
        guard others.count < max(limits.all.user, limits.openPerUser) else { return false }
        // Who has few gets one also where others have taken nearly all.
        guard open.count < (others.count < limits.all.ensured ? limits.all.all : limits.all.open) else { return false }
        let alike = others.count { $0.isAlike(challenge) }
        if alike > 0 { return alike < limits.alike }
        var prompts: [Challenge] = []
        for other in others where !prompts.contains(where: other.isAlike) { prompts.append(other) }
        return prompts.count < limits.openPerUser
    }

    /// Makes a challenge of the authenticator's own, for a login that was reported to it. It does not count as one of the user's open ones: a program
    /// that keeps all of those busy must not keep a login from opening the vault.
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

    /// An authenticator begins: the facts, if its client is the process that the challenge was made for. Once.
    /// - Parameter program: what the authenticator found the process to be.
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

    /// What else the challenge's process waits for that the same proof would answer.
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

    /// The challenge that this authenticator is busy with.
    func current(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            try Self.described(id, by: connection, in: open, at: clock.now())
        }
    }

    /// The vault was made: what is to be signed now.
    func continueCreation(
        _ id: Challenge.ID, connection: UInt64, vault: VaultID, _ choice: SignatureChoice
    ) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            _ = try Self.described(id, by: connection, in: open, at: clock.now())
            open[id]?.vault = vault
            open[id]?.choice = choice
        }
    }

    /// The person said yes to a renewal of all keys, which takes its time from here.
    func beginRenewal(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            _ = try Self.described(id, by: connection, in: open, at: clock.now())
            open[id]?.expires = clock.now() + limits.life
        }
        sweep(after: limits.life)
    }

    /// The successor is filled: what is to be signed now is its own opening, before the registry is told.
    func continueRenewal(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.choice.isComplete else { throw .outOfOrder }
            open[id]?.choice = .unlock
            open[id]?.passwords = [:]
        }
    }

    /// All that this conversation can do for a renewal of all keys is done.
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

    /// What an item is to be bound to is ready, or the owner has consented: nothing is signed for either.
    func finishUnsigned(_ id: Challenge.ID, connection: UInt64) throws(ChallengeRefusal) {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.purposes == [.enrolment] || challenge.purposes == [.accept] else { throw .outOfOrder }
            open[id]?.stage = .granted
            open[id]?.expires = clock.now() + limits.grantLife
        }
        sweep(after: limits.grantLife)
    }

    /// Begins one of the signatures; each can be begun once, and only those of one way.
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

    /// Keeps what a signature released, until the registry names what takes its place. It goes with the challenge.
    ///
    /// - Parameter name: of the sealed root that `root` then is; nil for the one in use.
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

    /// One signature came with a wrong password: once, it may be begun again.
    func retry(_ id: Challenge.ID, _ index: Int, connection: UInt64) -> Bool {
        open.withLock { open in
            // What is no longer there cannot go on.
            guard var challenge = try? Self.described(id, by: connection, in: open, at: clock.now()),
                challenge.wrongPasswords == 0, challenge.choice.beginAgain(index)
            else { return false }
            challenge.wrongPasswords += 1
            open[id] = challenge
            return true
        }
    }

    /// One signature was good. After the last of one way the challenge may be taken by its process, for a short while.
    /// - Parameters:
    ///   - agreement: what the constraint key agreed on, or the recovery key; nil for the unlock root.
    ///   - means: how the person was recognised, where not by being asked.
    func finish(
        _ id: Challenge.ID, _ index: Int, connection: UInt64, agreement: SecretBytes?, means: Challenge.Means? = nil
    ) throws(ChallengeRefusal) {
        let isGranted = try open.withLock { open throws(ChallengeRefusal) in
            var challenge = try Self.described(id, by: connection, in: open, at: clock.now())
            guard challenge.choice.finish(index) else { throw .outOfOrder }
            if let agreement { challenge.agreements[challenge.choice.authorizations[index].role] = agreement }
            challenge.means = means
            // A renewal of all keys goes on behind its signatures.
            let isGranted = challenge.choice.isComplete && challenge.purposes != [.rotate]
            if isGranted {
                // What was released to be sealed anew is no answer to any call.
                if challenge.resealsRoots { challenge.agreements = [:] }
                challenge.stage = .granted
                challenge.expires = clock.now() + limits.grantLife
            }
            open[id] = isGranted && challenge.isReport ? nil : challenge
            return isGranted
        }
        if isGranted { sweep(after: limits.grantLife) }
    }

    /// The repeated call: gives out what was granted, and forgets it.
    func redeem(_ id: Challenge.ID, by caller: Caller) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.live(id, in: open, at: clock.now())
            // Another process's question stays its own: who guesses it must not even be able to spoil it.
            guard challenge.uid == caller.uid else { throw .anothersProcess }
            guard challenge.process == caller.process else { throw .anothersProcess }
            open[id] = nil
            guard challenge.stage == .granted else { throw .notGranted }
            return challenge
        }
    }

    /// The process that it was made for has nobody pass it.
    func withdraw(_ id: Challenge.ID, by caller: Caller, about owner: Owner) throws(ChallengeRefusal) -> Challenge {
        try open.withLock { open throws(ChallengeRefusal) in
            let challenge = try Self.live(id, in: open, at: clock.now())
            guard challenge.uid == caller.uid, challenge.process == caller.process, challenge.owner == owner else {
                throw .anothersProcess
            }
            // Once somebody is being asked, the answer is the authenticator's to bring.
            guard challenge.stage == .issued else { throw .outOfOrder }
            open[id] = nil
            return challenge
        }
    }

    func isOpen(_ id: Challenge.ID) -> Bool {
        // Not being there is the answer.
        open.withLock { open in (try? Self.live(id, in: open, at: clock.now())) != nil }
    }

    /// Whether a person is being asked for a process, or was and the process has not come back.
    func hasOpen(of process: ProcessIdentity) -> Bool {
        let now = clock.now()
        return open.withLock { $0.values.contains { $0.process == process && $0.expires > now } }
    }

    func drop(_ id: Challenge.ID) { _ = open.withLock { $0.removeValue(forKey: id) } }

    /// Locking ends every question about a vault, answered or not; and those about a group's that its own user was asked, who must have it open.
    ///
    /// - Parameter kept: one that goes on.
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

    /// Another unlock root than before is in use: drops what would release the one before, or has released it.
    func dropUnlocking(_ owner: Owner, but kept: Challenge.ID) {
        open.withLock { open in
            open = open.filter { id, challenge in
                id == kept || challenge.owner != owner
                    || !challenge.choice.authorizations.contains { $0.role == .unlockRoot }
            }
        }
    }

    func dropAll() { open.withLock { $0.removeAll() } }

    /// A conversation whose authenticator is gone can never be finished.
    func connectionEnded(_ connection: UInt64) {
        open.withLock { open in
            let dropped = open.values.filter { $0.stage == .described(connection: connection) }
            for challenge in dropped { open[challenge.id] = nil }
            ended.add(dropped, OutcomeWord.cancelled)
        }
    }

    /// Wipes what is too old, though nobody may ever ask for it again.
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
        // Not at once, should the two clocks differ by a little.
        if let next { sweep(after: max(next - now, .seconds(1))) }
    }
}
