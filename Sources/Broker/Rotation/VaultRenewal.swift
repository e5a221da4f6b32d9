import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// Renews all keys of a vault. The broker fills a second vault file with other keys and proves that it opens. Then root's registry names it, and
/// only then does it replace the first (docs/rotation.md). A stop at any point leaves one of the two files whole.
final class VaultRenewal: Sendable {
    private let state = Mutex<Renewal?>(nil)

    /// The successor, and how far it is filled. All methods run in the vault's turn, so nothing else changes it between
    /// two looks without an `await`.
    var renewal: Renewal? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Whether the registry may name the successor at any moment. Until it has decided, nobody uses the vault.
    var isOffered: Bool { state.withLock { $0?.offer != nil } }

    /// What is still to be sealed again. Items that an earlier session has finished are left out.
    func plan(in vaultActor: isolated VaultActor) async throws(Fault) -> RenewalPlan {
        try await vaultActor.requireTurn(for: .renewal)
        let record = try await vaultActor.opened().record
        try Self.checkBoot(record)
        _ = await resume(from: record, in: vaultActor)
        guard let vault = vaultActor.open?.vault, vault.record == record else { throw Faults.challengeRefused }
        let successor = renewal?.successor
        let (missing, withPassword) = try vaultActor.step { () throws(VaultError) in
            try (
                vault.missing(in: successor),
                vault.list().filter { $0.access.requirements.contains(.applicationPassword) }.map(\.id)
            )
        }
        return try RenewalPlan(for: missing, withPassword: withPassword, in: vault)
    }

    /// The work of ``begin(in:for:authenticatorKey:binding:)``.
    func makeReady(
        in vaultActor: isolated VaultActor, for challenge: Challenge, authenticatorKey: [UInt8],
        binding: (pin: SecretBytes, salt: [UInt8])?
    ) async throws(Fault) {
        let state = try await vaultActor.opened()
        let record = state.record
        guard record.vault == challenge.vault, (binding == nil) == (record.binding == nil) else {
            throw Faults.challengeRefused
        }
        try Self.checkBoot(record)
        guard case .unlocked = state.lock else { throw Faults.locked }
        try vaultActor.begin(.renewal, for: challenge.id)
        if await resume(from: record, in: vaultActor), let next = renewal?.succession.record,
            next.authenticatorKey == authenticatorKey,
            // The authenticator uses a salt again for the same password only.
            next.binding?.salt == binding?.salt, try followsCircle(in: vaultActor)
        {
            renewal?.challenge = challenge.id
            renewal?.agreements = [:]
            return
        }
        await abandon(in: vaultActor)
        let made = try await vaultActor.dependencies.makeSuccessor(of: state, authenticatorKey, binding)
        guard vaultActor.isUnderWay(for: challenge.id), vaultActor.open?.record == record, renewal == nil else {
            await vaultActor.dependencies.removeIndexes(of: made.succession.record)
            throw Faults.challengeRefused
        }
        do throws(Fault) {
            try vaultActor.step { () throws(VaultError) in try state.vault.begin(made.succession, keys: made.keys) }
        } catch {
            // Perhaps there is no note yet, and then nobody else knows of them.
            await vaultActor.dependencies.removeIndexes(of: made.succession.record)
            throw error
        }
        guard await resume(from: record, in: vaultActor) else {
            await abandon(in: vaultActor)
            throw Fault(
                .failed, "the file of the renewed vault cannot be used, so your vault is unchanged",
                advice: "make sure that its disk has room, then try again")
        }
        renewal?.challenge = challenge.id
        try await makeCircleKeys(in: vaultActor, for: challenge, unlockRoot: made.keys.unlockRoot)
    }

    /// The approving key of a tied vault would have to move too. Only a person can release it, in a step of its own.
    private static func checkBoot(_ record: RegistryRecord) throws(Fault) {
        guard record.boot == nil else {
            throw Fault(
                .failed,
                "your vault is tied to the boot",
                advice: "release it with coffer boot release, renew its keys, and tie it again with coffer boot bind"
            )
        }
    }

    /// The work of ``agree(in:for:at:_:)``.
    func sealAgain(
        in vaultActor: isolated VaultActor, for challenge: Challenge, at index: Int, _ secret: SecretBytes
    ) throws(Fault) -> [ItemID] {
        guard var renewal, renewal.challenge == challenge.id, renewal.offer == nil, let state = vaultActor.open,
            let id = challenge.choice.authorizations[index].item,
            let point = challenge.choice.authorizations[index].point,
            let subject = challenge.items.first(where: { $0.item == id })
        else { throw Faults.challengeRefused }
        renewal.agreements[id, default: [:]][point] = secret
        let points = Set(challenge.choice.authorizations.filter { $0.item == id }.compactMap(\.point))
        let agreements = renewal.agreements[id] ?? [:]
        guard points.isSubset(of: agreements.keys) else {
            self.renewal = renewal
            return []
        }
        renewal.agreements[id] = nil
        self.renewal = renewal
        // If the item was changed meanwhile, the next session asks for it in its new state.
        guard let item = try vaultActor.step({ () throws(VaultError) in try state.vault.item(id) }),
            item.version == subject.version
        else { return [] }
        let passwords = challenge.passwords[id].map { (reading: $0.reading, storing: $0.storing) }
        let renewed = try vaultActor.step { () throws(VaultError) in
            try state.vault.renewing(
                item, classKeys: state.keys, agreements: agreements, password: passwords, for: renewal.circle)
        }
        // A read that a person was asked for is always recorded.
        try vaultActor.step { () throws(VaultError) in
            try state.vault.note(AccessRecord(.rotate, by: LoggedProgram.of(challenge), of: .init(item)), .anchored)
        }
        try put([renewed], into: renewal.successor)
        return challenge.passwords[id] == nil ? [] : [id]
    }

    /// The work of ``succeed(in:for:over:)``.
    func fill(
        in vaultActor: isolated VaultActor, for challenge: Challenge, over connection: UInt64
    ) async throws(Fault) -> (record: RegistryRecord?, withPassword: [ItemID]) {
        var withPassword: [ItemID] = []
        while true {
            guard let renewal, renewal.challenge == challenge.id, renewal.offer == nil, let state = vaultActor.open,
                vaultActor.dependencies.challenges.isOpen(challenge.id)
            else { throw Faults.challengeRefused }
            let missing = try vaultActor.step { () throws(VaultError) in try state.vault.missing(in: renewal.successor)
            }
            if missing.isEmpty {
                guard try isReadyToLeave(renewal, of: state, in: vaultActor) else {
                    try await sayFarewell(renewal, of: state, in: vaultActor)
                    continue
                }
                // There must be no `await` between finding nothing missing and the offer.
                let record = try offer(renewal, of: state, challenge, over: connection, in: vaultActor)
                try await count(renewal.successor, over: connection, in: vaultActor)
                return (record, withPassword)
            }
            var rest = missing[...]
            var done = 0
            while !rest.isEmpty {
                guard self.renewal?.challenge == challenge.id,
                    vaultActor.dependencies.challenges.isOpen(challenge.id)
                else { throw Faults.challengeRefused }
                let chunk = rest.prefix(RenewalLimits.atOnce)
                rest = rest.dropFirst(RenewalLimits.atOnce)
                let taken = try takeUp(Array(chunk), challenge, into: renewal.successor, in: vaultActor)
                done += taken.count
                withPassword += taken.filter { challenge.passwords[$0] != nil }
                await Task.yield()
            }
            // The remaining items need a person, or a password that did not come with the call.
            if done == 0 { return (nil, withPassword) }
        }
    }

    /// A signature has opened the successor, as it will from now on.
    func proveSuccessor(
        in vaultActor: isolated VaultActor, _ root: SecretBytes, for challenge: Challenge.ID
    ) throws(Fault) {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil else { throw Faults.challengeRefused }
        do throws(VaultError) { self.renewal?.keys = try renewal.successor.classKeys(unlockRoot: root) } catch {
            throw Fault(.failed, "the renewed vault does not open, so your vault is unchanged")
        }
    }

    /// The registry names the successor. It replaces the vault, and the former keys are gone from file and TPM.
    ///
    /// - Returns: the number of items, and whether the TPM has removed the former keys.
    func adoptSuccessor(
        in vaultActor: isolated VaultActor, for challenge: Challenge.ID
    ) async throws(Fault) -> RenewalOutcome {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil, let keys = renewal.keys else {
            throw Faults.challengeRefused
        }
        guard try vaultActor.registered() == renewal.succession.record else {
            throw Fault(.notPermitted, "the registry does not name the renewed vault")
        }
        let done = renewal.succession
        leave(keeping: challenge, in: vaultActor)
        _ = try await vaultActor.opened()
        if vaultActor.open?.record == renewal.succession.record {
            // If the vault was locked meanwhile, it stays locked.
            let challenges = vaultActor.dependencies.challenges
            _ = vaultActor.held.unlock(keys, at: VaultActor.milliseconds) { challenges.isOpen(challenge) }
        }
        let isRevoked = await endFormer(of: done, in: vaultActor)
        let count = try await vaultActor.use { try $0.vault.count }
        vaultActor.endOperation(of: challenge)
        return RenewalOutcome(items: count, isRevoked: isRevoked)
    }

    /// An authenticator's connection ended. The registry shows whether it names the successor.
    func conversationEnded(_ connection: UInt64, in vaultActor: isolated VaultActor) {
        guard let renewal, renewal.offer == connection else { return }
        guard let record = try? vaultActor.registered() else {
            // `try?`: if the registry cannot be read now, the next call that needs the vault reads it again.
            self.renewal?.offer = 0
            return
        }
        if record.vault == renewal.succession.record.vault { return leave(keeping: nil, in: vaultActor) }
        self.renewal?.offer = nil
        self.renewal?.keys = nil
        self.renewal?.succession.offer = nil
        guard let renewal = self.renewal else { return }
        // `try?`: without this note, the next start of the broker only waits for an offer that is already over.
        try? vaultActor.open?.vault.note(renewal.succession, with: renewal.successor)
    }

    /// Waits until the registry has decided between the two vaults, for 20 seconds at most.
    func awaitDecision(in vaultActor: isolated VaultActor) async throws(Fault) {
        let limit = ContinuousClock.now + RenewalLimits.decision
        while let offer = renewal?.offer {
            if offer == 0 { conversationEnded(0, in: vaultActor) }
            guard renewal?.offer != nil else { return }
            guard ContinuousClock.now < limit else { throw Faults.beingRenewed }
            // `try?`: a cancelled sleep only shortens the wait.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The objects for proving that the successor opens; nil if this challenge does not need that.
    func successorMaterial(for challenge: Challenge.ID) -> SealingMaterial? {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil else { return nil }
        return SealingMaterial(
            objects: renewal.successor.objects, record: renewal.succession.record, isSuccessor: true)
    }

    /// Removes the former keys' indexes from the TPM, if this vault has replaced another. A failed removal is repeated when the vault is opened
    /// next.
    ///
    /// - Parameter done: the renewal that has just been completed; nil to use only this vault's own note.
    @discardableResult
    func endFormer(of done: Succession? = nil, in vaultActor: isolated VaultActor) async -> Bool {
        // `try?`: a note that cannot be read counts as none.
        guard let open = vaultActor.open, let succession = done ?? (try? open.vault.origin),
            succession.record.vault == open.record.vault
        else { return true }
        guard await vaultActor.dependencies.removeIndexes(of: succession.former) else { return false }
        // `try?`: only this file is left, and the next opening finds nothing to do.
        try? VaultFile.forgetSuccession(of: vaultActor.owner, in: vaultActor.dependencies.directory)
        return true
    }

    /// Closes the successor and forgets it. Its file is removed when another renewal begins.
    func close() {
        // `try?`: the other vault can be used even if this file cannot be closed.
        try? renewal?.successor.close()
        renewal = nil
    }
}

extension VaultRenewal {
    /// Continues with the successor that an earlier session left, if it is usable and belongs to this vault.
    private func resume(from record: RegistryRecord, in vaultActor: isolated VaultActor) async -> Bool {
        if let renewal {
            if renewal.succession.former == record { return true }
            close()
        }
        // `try?`: a note or a file that cannot be read counts as none, and the renewal begins anew.
        guard let vault = vaultActor.open?.vault, let succession = try? vault.succession else { return false }
        let directory = vaultActor.dependencies.directory
        // `try?`: a successor that cannot be opened counts as none, too.
        let opened = try? await vaultActor.dependencies.sealer.use { (sealer) throws(SealerError) -> SuccessorVault in
            do throws(VaultError) {
                let successor = try SuccessorVault(in: directory, record: succession.record, sealer: sealer)
                try successor.beginFilling(with: sealer)
                return successor
            } catch { throw SealerError(.other, error.reason, advice: error.advice) }
        }
        guard let opened else { return false }
        guard renewal == nil, vaultActor.open?.record == record else {
            // `try?`: another call was quicker, so this copy is not needed.
            try? opened.close()
            return renewal?.succession.former == record
        }
        renewal = Renewal(successor: opened, succession: succession)
        return true
    }

    /// - Returns: the items that were sealed again; the others need a person.
    private func takeUp(
        _ items: [ItemSummary], _ challenge: Challenge, into successor: SuccessorVault,
        in vaultActor: isolated VaultActor
    ) throws(Fault) -> [ItemID] {
        guard let state = vaultActor.open else { throw Faults.stopping }
        var taken: [ItemID] = []
        var entries: [RenewedItem] = []
        for item in items {
            if try vaultActor.step({ () throws(VaultError) in try successor.followMetadata(of: item) }) {
                taken.append(item.id)
                continue
            }
            // The item was changed or removed since the search, so the next search decides.
            guard try vaultActor.step({ () throws(VaultError) in try state.vault.item(item.id) }) == item else {
                continue
            }
            let way = try RenewalPlan.way(to: item, in: state.vault)
            let password = challenge.passwords[item.id]
            guard way.agreements.isEmpty, way.needsApplicationPassword == (password != nil) else { continue }
            let passwords = password.map { (reading: $0.reading, storing: $0.storing) }
            entries.append(
                try vaultActor.step { () throws(VaultError) in
                    try state.vault.renewing(item, classKeys: state.keys, password: passwords)
                })
            taken.append(item.id)
        }
        if !entries.isEmpty { try put(entries, into: successor) }
        return taken
    }

    private func put(_ entries: [RenewedItem], into successor: SuccessorVault) throws(Fault) {
        try Self.write { () throws(VaultError) in try successor.takeUp(entries) }
    }

    /// Writes a successor. It is not in use yet, so damage in it is not damage of the vault.
    static func write<Value>(_ body: () throws(VaultError) -> Value) throws(Fault) -> Value {
        do throws(VaultError) { return try body() } catch {
            throw Fault(
                .failed, "the renewed vault cannot be written: \(error.reason)", advice: error.advice,
                cause: error.underlying)
        }
    }

    private func offer(
        _ renewal: Renewal, of state: VaultActor.OpenState, _ challenge: Challenge, over connection: UInt64,
        in vaultActor: isolated VaultActor
    ) throws(Fault) -> RegistryRecord {
        guard try vaultActor.registered() == renewal.succession.former else {
            throw Fault(.failed, "the vault's record was changed meanwhile", advice: "try again")
        }
        let count = try vaultActor.step { () throws(VaultError) in try state.vault.count }
        let event = AccessRecord(
            .rotate, by: LoggedProgram.of(challenge), detail: "all keys were renewed; \(count) items")
        var succession = renewal.succession
        try vaultActor.step { () throws(VaultError) in
            try renewal.successor.complete(
                from: state.vault, recording: event, circle: renewal.farewell.map { ($0, state.keys) })
        }
        do throws(SystemError) {
            succession.offer = Succession.Offer(boot: try BootTime.bootID(), time: BootTime.milliseconds)
        } catch { throw Fault(.failed, "the broker cannot read the clock") }
        try vaultActor.step { () throws(VaultError) in try state.vault.note(succession, with: renewal.successor) }
        self.renewal?.succession = succession
        self.renewal?.offer = connection
        return succession.record
    }

    /// Makes the TPM count the complete successor. Copies from before then count as older.
    private func count(
        _ successor: SuccessorVault, over connection: UInt64, in vaultActor: isolated VaultActor
    ) async throws(Fault) {
        do throws(SealerError) {
            try await vaultActor.dependencies.sealer.use { (sealer) throws(SealerError) in
                do throws(VaultError) { try successor.endFilling(with: sealer) } catch {
                    throw (error.cause as? SealerError) ?? SealerError(.other, error.reason, advice: error.advice)
                }
            }
        } catch {
            conversationEnded(connection, in: vaultActor)
            // The file, and not the TPM, is in the way.
            if error.code == .other, error.tpmCode == 0, !isOffered { await abandon(in: vaultActor) }
            throw Fault(error)
        }
    }

    /// Closes both files. The next opening uses the vault that the registry names.
    private func leave(keeping challenge: Challenge.ID?, in vaultActor: isolated VaultActor) {
        try? vaultActor.open?.vault.close()  // As in `close`.
        vaultActor.open = nil
        vaultActor.held.dropCode()
        close()
        // Challenges about the former vault are void now.
        vaultActor.dependencies.challenges.dropAll(about: vaultActor.owner, but: challenge)
    }
}
