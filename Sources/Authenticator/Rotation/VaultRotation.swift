import Authorization
import BrokerProtocol
import Cryptography
import Platform

/// Renews all keys of a vault (docs/rotation.md). It is made only after a person, or root for a service, has agreed to exactly this. The
/// signature for unlocking the vault comes before it.
struct VaultRotation {
    /// The signatures that the challenge allows.
    let signatures: [SignatureWays.Signature]
    let record: RegistryRecord
    let signer: Signer
    let registry: Registry
    /// nil for a vault that shares its items with nobody.
    let circle: RenewedCircle?
    /// The login password of a bound vault, which PAM has just accepted.
    private let password: SecretBytes?
    /// The key for ``RenewalSalt``.
    private let passwordKey: SecretBytes?

    /// - Throws: ``ConversationError`` for a request that renews nothing.
    init(
        _ checked: CheckedRequest, signer: Signer, registry: Registry, password: SecretBytes? = nil
    ) throws(ConversationError) {
        guard case .rotate(_, let circle) = checked.request else { throw PersonRequest.unexplained }
        (signatures, record, passwordKey) = (checked.signatures, try checked.registered(), checked.passwordKey)
        (self.signer, self.registry, self.circle, self.password) = (signer, registry, circle, password)
    }

    func perform(through broker: inout BrokerConnection) throws(ConversationError) {
        var binding: RenewalSalt.Binding?
        var known: RenewalSalt?
        if let password, record.binding != nil, case .user(let uid) = record.owner {
            known = try RenewalSalt(registryDirectory: registry.directory, uid: uid)
            binding = try known?.binding(for: password, key: passwordKey)
        }
        do throws(BrokerFailure) {
            _ = try broker.call(
                BrokerInterface.Renew(
                    challenge: signer.challenge,
                    authenticatorKey: Base64.encode(signer.keys.present.publicKey),
                    pin: binding?.pin.base64Encoded(), salt: binding.map { Base64.encode($0.salt) }),
                within: BrokerLimits.making)
        } catch { throw ConversationError(error) }
        let salt = binding?.salt
        let introduced = try circle.flatMap { (circle) throws(ConversationError) in
            try SuccessionSigner(circle: circle, record: record, signer: signer) {
                (proposal) throws(ConversationError) in try checked(proposal, salt: salt)
            }.sign(through: &broker)
        }
        try signer.sign(signatures.filter { $0.kind != .unlock }, through: &broker)
        let reply: BrokerInterface.Succeed<RegistryRecord>.Reply
        do throws(BrokerFailure) {
            reply = try broker.call(
                BrokerInterface.Succeed<RegistryRecord>(challenge: signer.challenge), within: BrokerLimits.filling)
        } catch { throw ConversationError(error) }
        // There were more items than one prompt can name. The next request continues.
        guard let proposal = reply.record else { return }
        let offered = ContinuousClock.now
        let next = try checked(proposal, salt: salt)
        guard introduced == nil || introduced == next else { throw Self.strange }
        // The new vault must open before it replaces the present one.
        var prover = signer
        prover.record = next
        do throws(BrokerFailure) {
            try prover.sign(SignatureWays.Signature(index: 0, kind: .unlock), pin: binding?.pin, through: &broker)
        } catch {
            // Nobody goes on with a successor that does not open.
            try known?.forget()
            throw ConversationError(error)
        }
        guard ContinuousClock.now - offered < BrokerLimits.decision else {
            throw .refused(
                .notCompleted(
                    "it took too long to renew the keys, so the vault is as it was", advice: "try again", kind: "failed"
                ))
        }
        try signer.keys.whileKept(signer.keys.present) { () throws(ConversationError) in
            do throws(RegistryError) { try registry.succeed(record, with: next) } catch {
                throw .refused(
                    .notCompleted("the registry cannot be changed, so the vault is as it was", error))
            }
        }
        // The keys are renewed whatever comes of this: a former key that stays now is dropped at the next renewal.
        _ = try? signer.keys.dropUnused(by: registry)
        // `try?`: a salt that stays is of no use, because the next vault has another key.
        try? known?.forget()
        do throws(BrokerFailure) {
            _ = try broker.call(
                BrokerInterface.AdoptSuccessor(challenge: signer.challenge), within: BrokerLimits.sealing)
        } catch {
            // The vault was locked, or the broker ended, at this very moment.
            throw .refused(
                .notCompleted(
                    "the keys are renewed, but the vault has not taken them up yet",
                    advice: "open it with: coffer unlock",
                    kind: "failed"))
        }
        if case .user(let uid) = record.owner, binding != nil {
            try OutdatedBinding(registryDirectory: registry.directory, uid: uid).note(nil)
        }
    }

    /// Takes id, Names and indexes from the broker, which alone knows them. All else stays as it was, or is the authenticator's own.
    func checked(_ proposal: RegistryRecord, salt: [UInt8]?) throws(ConversationError) -> RegistryRecord {
        let names = Array(proposal.objects.values)
        // All device roots of the software sealer can have the same Name: docs/vault-format.md, "object".
        let fresh = proposal.objects.filter { $0.key != .deviceRoot || proposal.sealer != .software }.values
        let roles = ObjectRole.ofNewVault + (proposal.biometrySet == nil ? [] : [.biometryCurrentSet])
        guard proposal.format == record.format, proposal.owner == record.owner, proposal.created == record.created,
            proposal.sealer == record.sealer, proposal.isService == record.isService,
            proposal.authenticatorKey == signer.keys.present.publicKey,
            proposal.vault != record.vault, proposal.vault.bytes.contains(where: { $0 != 0 }),
            proposal.storageKey?.name == record.storageKey?.name,
            proposal.storageKey.map({ !$0.context.isEmpty && $0.context.count <= BrokerLimits.context }) ?? true,
            Set(proposal.objects.keys) == Set(roles), Set(names).count == names.count,
            names.allSatisfy({ $0.count == 34 }), Set(fresh).isDisjoint(with: record.objects.values),
            proposal.biometrySet == nil || proposal.biometrySet == record.biometrySet,
            proposal.boot == nil, record.boot == nil, (proposal.counter == nil) == (record.sealer == .software),
            proposal.counter == nil || proposal.counter?.handle != record.counter?.handle,
            (proposal.generation == nil) == (record.sealer == .software),
            proposal.generation == nil || proposal.generation != record.generation,
            (proposal.binding == nil) == (record.binding == nil), proposal.binding?.salt == salt,
            proposal.binding.map({ $0.cost == BindingPin.standardCost && $0.index != record.binding?.index }) ?? true
        else {
            throw Self.strange
        }
        var next = RegistryRecord(
            vault: proposal.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: record.sealer, authenticatorKey: signer.keys.present.publicKey, storageKey: proposal.storageKey,
            counter: proposal.counter, objects: proposal.objects.filter { $0.key != .biometryCurrentSet },
            isService: record.isService,
            generation: proposal.generation, maker: record.maker)
        if let set = proposal.biometrySet, let name = proposal.objects[.biometryCurrentSet] {
            next = next.with(biometrySet: set, key: name)
        }
        if let binding = proposal.binding, let name = proposal.objects[.unlockRoot] {
            next = next.with(binding: binding, unlockRoot: name)
        }
        return next
    }

    private static let strange = ConversationError.refused(
        .notCompleted("the broker made a vault that is not the renewed one, so it was not registered", kind: "failed"))
}
