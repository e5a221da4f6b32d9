import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

/// Renews all keys of a vault. The broker fills a second vault file with other keys and proves that it opens. Then root's registry names it, and
/// only then does it replace the first (docs/rotation.md). A stop at any point leaves one of the two files whole.
extension VaultActor {
    /// What is still to be sealed again. Items that an earlier session has finished are left out.
    func renewalPlan() async throws(Fault) -> RenewalPlan {
        let record = try await opened().record
        try Self.checkBoot(record)
        _ = await resume(from: record)
        guard let vault = open?.vault, vault.record == record else { throw Faults.challengeRefused }
        let successor = renewal?.successor
        let (missing, withPassword) = try step { () throws(VaultError) in
            try (
                vault.missing(in: successor),
                vault.list().filter { $0.access.constraints.contains(.applicationPassword) }.map(\.id)
            )
        }
        return try RenewalPlan(for: missing, withPassword: withPassword, in: vault)
    }

    /// The person agreed. Makes a successor, unless an earlier session left one that can be used.
    ///
    /// - Parameters:
    ///   - authenticatorKey: the key whose signatures the successor trusts.
    ///   - binding: for a bound vault, the PIN derived from its password, and the salt of that derivation.
    func renew(
        for challenge: Challenge, authenticatorKey: [UInt8], binding: (pin: SecretBytes, salt: [UInt8])?
    ) async throws(Fault) {
        let state = try await opened()
        let record = state.record
        guard record.vault == challenge.vault, (binding == nil) == (record.binding == nil) else {
            throw Faults.challengeRefused
        }
        try Self.checkBoot(record)
        guard case .unlocked = state.lock else { throw Faults.locked }
        if let other = renewal?.challenge, other != challenge.id, dependencies.challenges.isOpen(other) {
            throw Fault(.failed, "The keys of your vault are being renewed already; finish that first.")
        }
        // The password of a bound vault may have changed meanwhile, so its successor is always made anew.
        if binding == nil, await resume(from: record), renewal?.succession.record.authenticatorKey == authenticatorKey {
            renewal?.challenge = challenge.id
            renewal?.agreements = [:]
            return
        }
        await abandon()
        let made = try await makeSuccessor(of: state, authenticatorKey, binding)
        guard dependencies.challenges.isOpen(challenge.id), open?.record == record, renewal == nil else {
            await removeIndexes(of: made.succession.record)
            throw Faults.challengeRefused
        }
        try step { () throws(VaultError) in try state.vault.begin(made.succession, keys: made.keys) }
        guard await resume(from: record) else {
            throw Fault(.failed, "The file of the renewed vault cannot be used; your vault is unchanged.")
        }
        renewal?.challenge = challenge.id
    }

    /// The approving key of a tied vault would have to move too. Only a person can release it, in a step of its own.
    private static func checkBoot(_ record: RegistryRecord) throws(Fault) {
        guard record.boot == nil else {
            throw Fault(
                .failed,
                "Your vault is tied to the boot; release it with coffer boot release, renew its keys, and tie it again with coffer boot bind"
            )
        }
    }

    /// Takes what a constraint key agreed on for one item. When the last one is there, the item is sealed again.
    func agree(for challenge: Challenge, at index: Int, _ secret: SecretBytes) throws(Fault) -> [ItemID] {
        guard var renewal, renewal.challenge == challenge.id, renewal.offer == nil, let state = open,
            let id = challenge.choice.authorizations[index].item,
            let subject = challenge.items.first(where: { $0.item == id })
        else { throw Faults.challengeRefused }
        renewal.agreements[id, default: [:]][challenge.choice.authorizations[index].role] = secret
        let roles = Set(challenge.choice.authorizations.filter { $0.item == id }.map(\.role))
        let agreements = renewal.agreements[id] ?? [:]
        guard roles.isSubset(of: agreements.keys) else {
            self.renewal = renewal
            return []
        }
        renewal.agreements[id] = nil
        self.renewal = renewal
        // If the item was changed meanwhile, the next session asks for it in its new state.
        guard let item = try step({ () throws(VaultError) in try state.vault.item(id) }),
            item.version == subject.version
        else { return [] }
        let value = try step { () throws(VaultError) in
            try state.vault.value(
                of: item, classKeys: state.keys, agreements: agreements,
                applicationPassword: challenge.passwords[id]?.reading)
        }
        // A read that a person was asked for is always recorded.
        try step { () throws(VaultError) in
            try state.vault.note(AccessRecord(.rotate, by: LoggedProgram.of(challenge), of: .init(item)), .anchored)
        }
        try put([(item, value, challenge.passwords[id]?.storing)], into: renewal.successor)
        return challenge.passwords[id] == nil ? [] : [id]
    }

    /// Seals again all items that need no person. If nothing is left, completes the successor. From then on, all calls wait until the registry
    /// has decided.
    ///
    /// - Parameter connection: the authenticator's connection.
    /// - Returns: the successor's record, or nil if items are left that need a person; and the items that were read with an application password.
    func succeed(
        for challenge: Challenge, over connection: UInt64
    ) async throws(Fault) -> (record: RegistryRecord?, withPassword: [ItemID]) {
        var withPassword: [ItemID] = []
        while true {
            guard let renewal, renewal.challenge == challenge.id, renewal.offer == nil, let state = open,
                dependencies.challenges.isOpen(challenge.id)
            else { throw Faults.challengeRefused }
            let missing = try step { () throws(VaultError) in try state.vault.missing(in: renewal.successor) }
            if missing.isEmpty {
                // There must be no `await` between finding nothing missing and the offer.
                let record = try offer(renewal, of: state, challenge, over: connection)
                try await count(renewal.successor, over: connection)
                return (record, withPassword)
            }
            var rest = missing[...]
            var done = 0
            while !rest.isEmpty {
                guard self.renewal?.challenge == challenge.id, dependencies.challenges.isOpen(challenge.id) else {
                    throw Faults.challengeRefused
                }
                let chunk = rest.prefix(RenewalLimits.atOnce)
                rest = rest.dropFirst(RenewalLimits.atOnce)
                let taken = try takeUp(Array(chunk), challenge, into: renewal.successor)
                done += taken.count
                withPassword += taken.filter { challenge.passwords[$0] != nil }
                await Task.yield()
            }
            // The remaining items need a person, or a password that did not come with the call.
            if done == 0 { return (nil, withPassword) }
        }
    }

    /// A signature has opened the successor, as it will from now on.
    func proveSuccessor(_ root: SecretBytes, for challenge: Challenge.ID) throws(Fault) {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil else { throw Faults.challengeRefused }
        do throws(VaultError) { self.renewal?.keys = try renewal.successor.classKeys(unlockRoot: root) } catch {
            throw Fault(.failed, "The renewed vault does not open; your vault is unchanged.")
        }
    }

    /// The registry names the successor. It replaces the vault, and the former keys are gone from file and TPM.
    ///
    /// - Returns: the number of items, and whether the TPM has removed the former keys.
    func adoptSuccessor(for challenge: Challenge.ID) async throws(Fault) -> RenewalOutcome {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil, let keys = renewal.keys else {
            throw Faults.challengeRefused
        }
        guard try VaultOpener(owner: owner, dependencies: dependencies).registered() == renewal.succession.record else {
            throw Fault(.notPermitted, "The registry does not name the renewed vault.")
        }
        let done = renewal.succession
        leave(keeping: challenge)
        _ = try await opened()
        if open?.record == renewal.succession.record {
            // If the vault was locked meanwhile, it stays locked.
            _ = held.unlock(keys, at: Self.milliseconds) { dependencies.challenges.isOpen(challenge) }
        }
        let isRevoked = await endFormer(of: done)
        let count = try await use { try $0.vault.count }
        return RenewalOutcome(items: count, isRevoked: isRevoked)
    }

    /// An authenticator's connection ended. The registry shows whether it names the successor.
    func conversationEnded(_ connection: UInt64) {
        guard let renewal, renewal.offer == connection else { return }
        guard let record = try? VaultOpener(owner: owner, dependencies: dependencies).registered() else {
            // `try?`: if the registry cannot be read now, the next call that needs the vault reads it again.
            self.renewal?.offer = 0
            return
        }
        if record.vault == renewal.succession.record.vault { return leave(keeping: nil) }
        self.renewal?.offer = nil
        self.renewal?.keys = nil
        self.renewal?.succession.offer = nil
        guard let renewal = self.renewal else { return }
        // `try?`: without this note, the next start of the broker only waits for an offer that is already over.
        try? open?.vault.note(renewal.succession, with: renewal.successor)
    }

    /// Waits until the registry has decided between the two vaults, for 20 seconds at most.
    func awaitDecision() async throws(Fault) {
        let limit = ContinuousClock.now + RenewalLimits.decision
        while let offer = renewal?.offer {
            if offer == 0 { conversationEnded(0) }
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
    func endFormer(of done: Succession? = nil) async -> Bool {
        // `try?`: a note that cannot be read counts as none.
        guard let open, let succession = done ?? (try? open.vault.origin),
            succession.record.vault == open.record.vault
        else { return true }
        guard await removeIndexes(of: succession.former) else { return false }
        // `try?`: only this file is left, and the next opening finds nothing to do.
        try? VaultFile.forgetSuccession(of: owner, in: dependencies.directory)
        return true
    }

    /// Closes the successor and forgets it. Its file is removed when another renewal begins.
    func closeRenewal() {
        // `try?`: the other vault can be used even if this file cannot be closed.
        try? renewal?.successor.close()
        renewal = nil
    }
}

extension VaultActor {
    /// Continues with the successor that an earlier session left, if it is usable and belongs to this vault.
    private func resume(from record: RegistryRecord) async -> Bool {
        if let renewal {
            if renewal.succession.former == record { return true }
            closeRenewal()
        }
        // `try?`: a note or a file that cannot be read counts as none, and the renewal begins anew.
        guard let vault = open?.vault, let succession = try? vault.succession else { return false }
        let (sealer, directory) = (dependencies.sealer, dependencies.directory)
        let opened = try? await dependencies.sealerThread.run { () throws(SealerError) -> OpenVault in
            do throws(VaultError) {
                let vault = try OpenVault(successorIn: directory, record: succession.record, sealer: sealer)
                try vault.beginFilling(with: sealer)
                return vault
            } catch { throw SealerError(.other, error.reason) }
        }
        guard let opened else { return false }
        guard renewal == nil, open?.record == record else {
            // `try?`: another call was quicker, so this copy is not needed.
            try? opened.close()
            return renewal?.succession.former == record
        }
        renewal = Renewal(successor: opened, succession: succession)
        return true
    }

    /// Gives up the successor that an earlier session left, with its indexes in the TPM.
    private func abandon() async {
        // `try?`: see `resume`.
        let noted = try? open?.vault.succession
        closeRenewal()
        if let noted { await removeIndexes(of: noted.record) }
    }

    private func makeSuccessor(
        of state: OpenState, _ authenticatorKey: [UInt8], _ binding: (pin: SecretBytes, salt: [UInt8])?
    ) async throws(Fault) -> (succession: Succession, keys: NewVaultKeys) {
        let id: VaultID
        do throws(CryptographyError) { id = try VaultID.random() } catch {
            throw Fault(.failed, "The broker has no random numbers.")
        }
        let (sealer, former) = (dependencies.sealer, state.record)
        let set = state.vault.hasSetKey ? former.biometrySet : nil
        do throws(SealerError) {
            return try await dependencies.sealerThread.run(within: dependencies.makingTime) { () throws(SealerError) in
                let made = try sealer.makeKeys(vault: id, owner: former.owner, authenticatorKey: authenticatorKey)
                do throws(SealerError) {
                    let (record, keys) = try made.succeeding(former, id, authenticatorKey, set: set, binding, sealer)
                    return (Succession(record: record, former: former), keys)
                } catch {
                    sealer.remove(counter: made.counter, generation: made.generation)
                    throw error
                }
            } undo: { made in
                sealer.remove(counter: made.keys.counter, generation: made.keys.generation)
                // `try?`: an index that cannot be removed stays in the TPM and is worthless.
                if let index = made.succession.record.binding?.index { try? sealer.removeIndex(.password(index)) }
            }
        } catch { throw Fault(error) }
    }

    /// - Returns: the items that were sealed again; the others need a person.
    private func takeUp(
        _ items: [ItemSummary], _ challenge: Challenge, into successor: OpenVault
    ) throws(Fault) -> [ItemID] {
        guard let state = open else { throw Faults.stopping }
        var taken: [ItemID] = []
        var entries: [(item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword?)] = []
        for item in items {
            if try step({ () throws(VaultError) in try successor.followMetadata(of: item) }) {
                taken.append(item.id)
                continue
            }
            // The item was changed or removed since the search, so the next search decides.
            guard try step({ () throws(VaultError) in try state.vault.item(item.id) }) == item else { continue }
            let way = try RenewalPlan.way(to: item, in: state.vault)
            let password = challenge.passwords[item.id]
            guard way.agreements.isEmpty, way.needsApplicationPassword == (password != nil) else { continue }
            let value = try step { () throws(VaultError) in
                try state.vault.value(of: item, classKeys: state.keys, applicationPassword: password?.reading)
            }
            entries.append((item, value, password?.storing))
            taken.append(item.id)
        }
        if !entries.isEmpty { try put(entries, into: successor) }
        return taken
    }

    private func put(
        _ entries: [(item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword?)],
        into successor: OpenVault
    ) throws(Fault) {
        // The successor is not in use yet, so damage in it is not damage of the vault.
        do throws(VaultError) { try successor.takeUp(entries) } catch {
            throw Fault(.failed, Faults.sentence("the renewed vault cannot be written: \(error.reason)"))
        }
    }

    private func offer(
        _ renewal: Renewal, of state: OpenState, _ challenge: Challenge, over connection: UInt64
    ) throws(Fault) -> RegistryRecord {
        guard try VaultOpener(owner: owner, dependencies: dependencies).registered() == renewal.succession.former else {
            throw Fault(.failed, "The vault's record was changed meanwhile; try again.")
        }
        let count = try step { () throws(VaultError) in try state.vault.list().count }
        let event = AccessRecord(
            .rotate, by: LoggedProgram.of(challenge), detail: "all keys were renewed; \(count) items")
        var succession = renewal.succession
        try step { () throws(VaultError) in try renewal.successor.complete(from: state.vault, recording: event) }
        do throws(SystemError) {
            succession.offer = Succession.Offer(boot: try BootTime.bootID(), time: BootTime.milliseconds)
        } catch { throw Fault(.failed, "The broker cannot read the clock.") }
        try step { () throws(VaultError) in try state.vault.note(succession, with: renewal.successor) }
        self.renewal?.succession = succession
        self.renewal?.offer = connection
        return succession.record
    }

    /// Makes the TPM count the complete successor. Copies from before then count as older.
    private func count(_ successor: OpenVault, over connection: UInt64) async throws(Fault) {
        let sealer = dependencies.sealer
        do throws(SealerError) {
            try await dependencies.sealerThread.run { () throws(SealerError) in
                do throws(VaultError) { try successor.endFilling(with: sealer) } catch {
                    throw (error.cause as? SealerError) ?? SealerError(.other, error.reason)
                }
            }
        } catch {
            conversationEnded(connection)
            throw Fault(error)
        }
    }

    /// Closes both files. The next opening uses the vault that the registry names.
    private func leave(keeping challenge: Challenge.ID?) {
        try? open?.vault.close()  // As in `closeRenewal`.
        open = nil
        held.code = nil
        closeRenewal()
        // Challenges about the former vault are void now.
        dependencies.challenges.dropAll(about: owner, but: challenge)
    }

    private func step<Value>(_ body: () throws(VaultError) -> Value) throws(Fault) -> Value {
        do throws(VaultError) { return try body() } catch { throw noting(Fault(error)) }
    }
}
