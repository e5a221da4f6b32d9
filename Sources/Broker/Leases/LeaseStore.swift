import Authorization
import BrokerProtocol
import Platform
import Synchronization
import Varlink
import Vault

/// All leases. A read under one is checked here by the kernel's word about the caller, and by the authenticator's own
/// record.
final class LeaseStore: Sendable {
    private struct State {
        /// The oldest first.
        var leases: [Lease] = []
        /// Notice the end of each leader.
        var watches: [UInt64: ProcessWatch] = [:]
        var last: UInt64 = 0
    }

    private let clock: BrokerClock
    private let state = Mutex(State())
    private let telling = Mutex<(@Sendable (Lease, Lease.End) -> Void)?>(nil)

    init(clock: BrokerClock) { self.clock = clock }

    /// Sets what is told of each lease that has ended. It must return soon, because a lock waits for it.
    func onEnd(_ tell: @escaping @Sendable (Lease, Lease.End) -> Void) { telling.withLock { $0 = tell } }

    // MARK: The beginning

    /// - Throws: `LimitExceeded` if the user has as many leases as one may have.
    func checkRoom(for uid: UInt32) throws(Fault) {
        dropExpired()
        let (own, all) = state.withLock { state in (state.leases.count { $0.uid == uid }, state.leases.count) }
        guard own < LeaseLimits.perUser else {
            throw Fault(
                .limitExceeded, "this user has \(LeaseLimits.perUser) leases already",
                advice: "end them with: coffer forget")
        }
        guard all < LeaseLimits.all else {
            throw Fault(.limitExceeded, "there are too many leases on this machine", advice: "try again later")
        }
    }

    /// Keeps a lease that a person has granted.
    /// - Parameters:
    ///   - began: when the last signature was made.
    ///   - isWanted: whether no lock came since the person agreed. It is asked under the same mutex as a lock takes.
    /// - Throws: `ChallengeRefused` if a lock came, or if the leader has ended.
    func add(
        _ terms: Lease.Terms, _ items: [Lease.Item], for challenge: Challenge, in vault: VaultID,
        by program: AccessRecord.Program, since began: ContinuousClock.Instant, if isWanted: () -> Bool
    ) throws(Fault) -> Lease {
        try checkRoom(for: challenge.uid)
        let leader = challenge.process
        let watch: ProcessWatch
        do throws(SystemError) {
            watch = try ProcessWatch(leader) { [weak self] in self?.end(.process) { $0.leader == leader } }
        } catch { throw Faults.challengeRefused }
        let lease: Lease? = state.withLock { state in
            guard isWanted() else { return nil }
            state.last += 1
            let lease = Lease(
                number: state.last, uid: challenge.uid, owner: challenge.owner, vault: vault, leader: leader,
                command: terms.command, program: program, items: items, granted: Int64(clamping: SystemClock.now()),
                begun: began, ends: began + .seconds(terms.seconds))
            state.leases.append(lease)
            state.watches[lease.number] = watch
            return lease
        }
        guard let lease else { throw Faults.challengeRefused }
        clock.after(.seconds(terms.seconds + 1)) { [weak self] in self?.dropExpired() }
        return lease
    }

    // MARK: The use

    /// The user's leases from this very vault, whichever process they are for.
    func leases(of uid: UInt32, from owner: Owner, _ vault: VaultID?) -> [Lease] {
        dropExpired()
        return state.withLock { state in
            state.leases.filter { $0.uid == uid && $0.owner == owner && $0.vault == vault }
        }
    }

    /// The leases of a user from one vault, the oldest first.
    func list(of uid: UInt32, from owner: Owner) -> [Lease] {
        dropExpired()
        return state.withLock { $0.leases.filter { $0.uid == uid && $0.owner == owner } }
    }

    // MARK: The end

    /// - Returns: how many there were.
    @discardableResult
    func end(_ why: Lease.End, where isMeant: (Lease) -> Bool) -> Int {
        let (leases, watches) = state.withLock { state in
            let leases = state.leases.filter(isMeant)
            let watches = leases.compactMap { state.watches.removeValue(forKey: $0.number) }
            state.leases.removeAll(where: isMeant)
            return (leases, watches)
        }
        for watch in watches { watch.stop() }
        if let tell = telling.withLock({ $0 }) { for lease in leases { tell(lease, why) } }
        return leases.count
    }

    /// Ends a user's leases from one vault, or from all. Other members of a group keep theirs.
    @discardableResult
    func forget(of uid: Int64, from owner: Owner? = nil) -> Int {
        end(.forgotten) { Int64($0.uid) == uid && (owner == nil || $0.owner == owner) }
    }

    /// Ends every lease from a locked vault. If a user's own vault is locked, their leases from groups' vaults end too.
    func endAll(about owner: Owner) { end(.locked) { $0.owner == owner || owner == .user($0.uid) } }

    private func dropExpired() {
        let now = clock.now()
        end(.time) { $0.ends <= now }
    }

    /// Takes changed and deleted items from the leases. A lease without items ends.
    ///
    /// The points of a changed item are others, so a lease permits nothing for it anyway. This keeps the list true.
    func note(_ changes: [CommittedChange], of owner: Owner) {
        for change in changes {
            switch change {
            case .added, .sharing: continue
            case .deleted(let item): drop(owner) { $0.subject.item == item.id }
            case .updated(let item, let former):
                // With a fresh key, everything but the revision is as before.
                let isResealed = item.metadata == former.metadata
                guard item.version != former.version || item.access != former.access || isResealed else { continue }
                drop(owner) { $0.subject.item == item.id }
            case .unknown: drop(owner) { _ in true }
            }
        }
    }

    private func drop(_ owner: Owner, _ isMeant: (Lease.Item) -> Bool) {
        state.withLock { state in
            for index in state.leases.indices where state.leases[index].owner == owner {
                state.leases[index].items.removeAll(where: isMeant)
            }
        }
        end(.changed) { !$0.items.contains { !$0.signatures.isEmpty } }
    }

    /// The broker stops.
    func finish() { end(.stopped) { _ in true } }
}
