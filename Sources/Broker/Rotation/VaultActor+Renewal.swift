import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

/// Renewing all keys: another vault file with other keys is filled beside the one in use, proved to open, named by root's registry, and only then put in
/// its place (docs/rotation.md). A stop anywhere leaves one of the two, whole.
extension VaultActor {
    /// Items that are sealed anew in one step of the vault: between two, others have their turn.
    private static let mostAtOnce = 64

    /// What is left to be sealed anew, as far as an earlier conversation has not done it.
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

    /// The person said yes: makes a successor, unless an earlier conversation has left one that is good.
    ///
    /// - Parameters:
    ///   - authenticatorKey: whose signatures the successor is to trust.
    ///   - binding: of a bound vault: what the password was made into, and with which salt.
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
        // Under a password that may be another by now nothing is taken up: it is made anew.
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

    /// What is tied to the boot takes its approving key along, which only a person releases, by himself and for that.
    private static func checkBoot(_ record: RegistryRecord) throws(Fault) {
        guard record.boot == nil else {
            throw Fault(
                .failed,
                "Your vault is tied to the boot; release it with coffer boot release, renew its keys, and tie it again with coffer boot bind"
            )
        }
    }

    /// What a constraint key agreed on for one item. With the last that it takes the item is sealed anew.
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
        // Changed meanwhile: then it is asked for in the next conversation, as what it is by then.
        guard let item = try step({ () throws(VaultError) in try state.vault.item(id) }),
            item.version == subject.version
        else { return [] }
        let value = try step { () throws(VaultError) in
            try state.vault.value(
                of: item, classKeys: state.keys, agreements: agreements,
                applicationPassword: challenge.passwords[id]?.reading)
        }
        // What a person was asked for never goes unrecorded.
        try step { () throws(VaultError) in
            try state.vault.note(AccessRecord(.rotate, by: LoggedProgram.of(challenge), of: .init(item)), .anchored)
        }
        try put([(item, value, challenge.passwords[id]?.storing)], into: renewal.successor)
        return challenge.passwords[id] == nil ? [] : [id]
    }

    /// Seals anew whatever needs nobody, and when nothing is left completes the successor: from then on everything waits until the registry has decided.
    ///
    /// - Parameter connection: the authenticator's.
    /// - Returns: the successor's record, or nil where items are left that need a person; and the items that were read with an application password.
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
                // Nothing may come between looking and offering.
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
                let chunk = rest.prefix(Self.mostAtOnce)
                rest = rest.dropFirst(Self.mostAtOnce)
                let taken = try takeUp(Array(chunk), challenge, into: renewal.successor)
                done += taken.count
                withPassword += taken.filter { challenge.passwords[$0] != nil }
                await Task.yield()
            }
            // What is left needs a person, or a password that did not come along.
            if done == 0 { return (nil, withPassword) }
        }
    }

    /// The successor was opened by a signature, as it will be from now on.
    func proveSuccessor(_ root: SecretBytes, for challenge: Challenge.ID) throws(Fault) {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil else { throw Faults.challengeRefused }
        do throws(VaultError) { self.renewal?.keys = try renewal.successor.classKeys(unlockRoot: root) } catch {
            throw Fault(.failed, "The renewed vault does not open; your vault is unchanged.")
        }
    }

    /// The registry names the successor: it takes the vault's place, and the keys before are gone from file and TPM.
    ///
    /// - Returns: how many items it has, and whether the TPM has let go of the keys before.
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
            // Locked meanwhile, it stays locked.
            _ = held.unlock(keys, at: Self.milliseconds) { dependencies.challenges.isOpen(challenge) }
        }
        let isRevoked = await endFormer(of: done)
        let count = try await use { try $0.vault.count }
        return RenewalOutcome(items: count, isRevoked: isRevoked)
    }

    /// An authenticator is gone: whether it had the registry name the successor, the registry says.
    func conversationEnded(_ connection: UInt64) {
        guard let renewal, renewal.offer == connection else { return }
        guard let record = try? VaultOpener(owner: owner, dependencies: dependencies).registered() else {
            // A registry that cannot be read now is asked again by whoever needs the vault.
            self.renewal?.offer = 0
            return
        }
        if record.vault == renewal.succession.record.vault { return leave(keeping: nil) }
        self.renewal?.offer = nil
        self.renewal?.keys = nil
        self.renewal?.succession.offer = nil
        guard let renewal = self.renewal else { return }
        // Where this cannot be written, the next start of the broker waits for a moment that is over.
        try? open?.vault.note(renewal.succession, with: renewal.successor)
    }

    /// Waits until the registry has decided which of two vaults it is.
    func awaitDecision() async throws(Fault) {
        let limit = ContinuousClock.now + .seconds(20)
        while let offer = renewal?.offer {
            if offer == 0 { conversationEnded(0) }
            guard renewal?.offer != nil else { return }
            guard ContinuousClock.now < limit else { throw Faults.beingRenewed }
            // Ended early, the wait is only shorter.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What the sealer needs to prove that the successor opens; nil where it is not about that.
    func successorMaterial(for challenge: Challenge.ID) -> SealingMaterial? {
        guard let renewal, renewal.challenge == challenge, renewal.offer != nil else { return nil }
        return SealingMaterial(
            objects: renewal.successor.objects, record: renewal.succession.record, isSuccessor: true)
    }

    /// Removes from the TPM what the keys before hung on, where this vault has taken another one's place. What does not succeed now is done when the vault
    /// is opened next.
    ///
    /// - Parameter done: the renewal that was completed in this moment; nil for what this vault itself has noted, and nobody else.
    @discardableResult
    func endFormer(of done: Succession? = nil) async -> Bool {
        // What cannot be read is as good as none.
        guard let open, let succession = done ?? (try? open.vault.origin),
            succession.record.vault == open.record.vault
        else { return true }
        guard await removeIndexes(of: succession.former) else { return false }
        // Nothing but this file is left; the next opening finds nothing to do.
        try? VaultFile.forgetSuccession(of: owner, in: dependencies.directory)
        return true
    }

    /// Lets go of a successor, here and in memory; its file goes when another renewal begins.
    func closeRenewal() {
        // A file that cannot be closed is no reason not to go on with the other.
        try? renewal?.successor.close()
        renewal = nil
    }
}

extension VaultActor {
    /// Takes up the successor that an earlier conversation has left, if it is good, and of just this vault.
    private func resume(from record: RegistryRecord) async -> Bool {
        if let renewal {
            if renewal.succession.former == record { return true }
            closeRenewal()
        }
        // A note that cannot be read is none: it is begun anew.
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
            // Another call was quicker.
            try? opened.close()
            return renewal?.succession.former == record
        }
        renewal = Renewal(successor: opened, succession: succession)
        return true
    }

    /// Gives up what an earlier conversation has left, its part of the TPM included.
    private func abandon() async {
        // As above.
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
                // What cannot be removed stays in the TPM, of use to nobody.
                if let index = made.succession.record.binding?.index { try? sealer.removeIndex(.password(index)) }
            }
        } catch { throw Fault(error) }
    }

    /// - Returns: those that were sealed anew; the others need a person.
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
            // Changed or removed since it was looked for: the next look shows.
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
        // Damage of what is not in use yet is no damage of the vault.
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

    /// Has the TPM count what the successor is now: copies from before it was complete are older ones then.
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

    /// Both files are closed; what is opened next is what the registry names.
    private func leave(keeping challenge: Challenge.ID?) {
        try? open?.vault.close()  // As `closeRenewal`.
        open = nil
        held.code = nil
        closeRenewal()
        // What was asked about the vault before is about no vault now.
        dependencies.challenges.dropAll(about: owner, but: challenge)
    }

    private func step<Value>(_ body: () throws(VaultError) -> Value) throws(Fault) -> Value {
        do throws(VaultError) { return try body() } catch { throw noting(Fault(error)) }
    }
}
