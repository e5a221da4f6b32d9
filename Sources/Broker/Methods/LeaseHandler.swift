import Authorization
import BrokerProtocol
import Platform
import Varlink
import Vault

/// `Lease`: the calling process and its descendants may read items without a prompt for a while.
enum LeaseHandler: MethodHandler {
    static func answer(_ method: Keychain.Lease, _ request: Request) async throws(Fault) -> MethodAnswer {
        let limit = request.core.configuration.leaseLimit
        guard limit > 0 else {
            throw Fault(
                .notPermitted, "on this machine there are no leases", advice: "run the command without --lease")
        }
        guard let seconds = Int(exactly: method.seconds), (1...limit).contains(seconds) else {
            throw Fault(
                .invalidArgument, "a lease lasts at least 1 second, and on this machine at most \(limit) seconds",
                advice: "ask for less; root sets the limit in cofferd.conf (lease-limit)")
        }
        guard (method.command ?? "").utf8.count <= LeaseLimits.command else {
            throw Fault(.invalidArgument, "a lease's command may have at most \(LeaseLimits.command) bytes")
        }
        // In a service vault nobody can be asked, so nothing in it requires a person.
        guard request.admission.standing != .root else {
            throw Fault(.notPermitted, "there are no leases from a service vault", advice: "its items need none")
        }
        guard ProcessAncestry.canLead(request.caller.process) else {
            throw Fault(
                .notPermitted,
                "the first process of a PID namespace gets no lease, because other programs' children can become its own",
                advice: "start another first process, as docker run --init does")
        }
        let reader = JointReader(
            names: method.items, reason: method.reason, mayUnlock: false, challenge: method.challenge,
            terms: Lease.Terms(seconds: seconds, command: method.command.flatMap { $0.isEmpty ? nil : $0 }))
        return .reply(Keychain.Lease.Reply(lease: try await reader.lease(request)?.state))
    }

    static func refusals(of method: Keychain.Lease) -> [LoggedCall] {
        method.items.prefix(JointReadLimits.items).map {
            LoggedCall(
                event: .lease, service: $0.service, account: $0.account, kind: $0.kind, reason: method.reason)
        }
    }
}

/// `EndLeases`: ends the caller's leases from this vault.
enum EndLeasesHandler: MethodHandler {
    static func answer(_ method: Keychain.EndLeases, _ request: Request) async throws(Fault) -> MethodAnswer {
        let ended = request.core.leases.forget(of: Int64(request.caller.uid), from: request.vaultActor.owner)
        return .reply(Keychain.EndLeases.Reply(ended: Int64(ended)))
    }
}

extension JointReader {
    /// Grants the lease, once a person has agreed.
    /// - Returns: nil if none of the items requires a person.
    /// - Throws: `AuthenticationRequired` with a challenge if a person is needed.
    func lease(_ request: Request) async throws(Fault) -> Lease? {
        try check()
        let granted = try request.redeem(challenge)
        try request.core.leases.checkRoom(for: request.caller.uid)
        switch try await lookForLease(request, granted) {
        case .question(let asked, let vault):
            if granted != nil { throw Faults.challengeRefused }
            throw try request.ask(for: asked, vault: vault, reason: reason)
        case .notNeeded: return nil
        case .granted(let lease): return lease
        }
    }

    private enum LeaseOutcome: Sendable {
        case question(Challenge.Request, VaultID)
        /// No person was asked, and none is needed.
        case notNeeded
        case granted(Lease)
    }

    /// One step of the vault: the items are still those that the person was shown.
    private func lookForLease(
        _ request: Request, _ granted: GrantedChallenge?
    ) async throws(Fault) -> LeaseOutcome {
        let program = request.program(granted)
        let limits = request.core.challenges.grantLife
        return try await request.vaultActor.use { state in
            if let granted, granted.vault != state.record.vault { throw Faults.challengeRefused }
            // A lock ends a lease. So there is none while the vault is locked, not even for items of another class.
            guard state.held.isUnlocked else { throw Faults.locked }
            let (found, missing) = try judge(request, granted, in: state)
            if let asked = try question(missing, found) { return .question(asked, state.record.vault) }
            guard let granted else { return .notNeeded }
            // The time and the command are those that the person was shown, whatever the repeated call says.
            guard case .lease(_, let shown) = granted.request else { throw Faults.challengeRefused }
            let items = found.map { found in
                let subject = Challenge.Subject(
                    item: found.item.id, version: found.item.version, service: found.item.metadata.service,
                    account: found.item.metadata.account, kind: found.item.metadata.kind, fields: [found.field])
                return Lease.Item(subject: subject, signatures: granted.signatures(for: found.plan))
            }
            // A lock wipes the keys before it ends the leases. So a lease that is added while the vault is open either
            // came before the lock and is ended by it, or is not added.
            let lease = try request.core.leases.add(
                shown, items, for: granted.challenge, in: state.record.vault, by: program,
                since: granted.challenge.expires - limits, if: { state.held.isUnlocked })
            do throws(VaultError) {
                for (number, one) in found.enumerated() {
                    let record = AccessRecord(
                        .lease, by: program, of: .init(one.item), reason: granted.challenge.reason,
                        detail: lease.grantDetail)
                    try state.vault.note(record, number == found.count - 1 ? .anchored : .written)
                }
            } catch {
                // What has no record is not given, and the caller hears that nothing was changed.
                request.core.leases.end(.unrecorded) { $0.number == lease.number }
                throw error
            }
            return .granted(lease)
        }
    }
}

extension GrantedChallenge {
    /// The signatures for one read that were made.
    fileprivate func signatures(for plan: ReadPlan) -> [Challenge.Authorization] {
        let points = Set(plan.alternatives.flatMap { $0.agreements.map(\.point) })
        return request.choice.authorizations.filter { authorization in
            guard let point = authorization.point else { return false }
            return points.contains(point) && grant.agreements[point] != nil
        }
    }
}

extension Lease {
    /// The words in the log for a lease that was granted.
    var grantDetail: String {
        "lease \(number) for \((ends - begun).components.seconds) s" + (command.map { ", to run: \($0)" } ?? "")
    }

    /// The words in the log for a read under a lease.
    static let readDetail = "under a lease (coffer run --lease)"
}
