import Authorization
import BrokerProtocol
import Platform

/// Registers a new vault. The broker builds it, the authenticator registers it, and only then does the broker put it in place.
struct Provisioning {
    let challenge: String
    let owner: Owner
    let ownerName: String
    /// Root makes it for an account that has nobody to ask.
    let isService: Bool
    /// The client's user. A group's vault counts as theirs.
    let maker: UInt32
    let sealer: SealerKind
    let keys: SigningKeys
    let registry: Registry

    /// - Returns: the record as registered.
    func register(through broker: inout BrokerConnection) throws(ConversationError) -> RegistryRecord {
        let proposal: RegistryRecord
        do throws(BrokerFailure) {
            proposal = try broker.call(
                BrokerInterface.Provision<RegistryRecord>(
                    challenge: challenge, authenticatorKey: Base64.encode(keys.present.publicKey)),
                within: BrokerLimits.making
            ).record
        } catch {
            throw ConversationError(error)
        }
        let record = try checked(proposal)
        try keys.whileKept(keys.present) { () throws(ConversationError) in
            do throws(RegistryError) { try registry.write(record) } catch {
                throw .refused(.notCompleted("the new vault cannot be registered", error))
            }
        }
        do throws(BrokerFailure) {
            let next = try broker.call(BrokerInterface.AdoptVault(challenge: challenge), within: BrokerLimits.sealing)
            guard next.authorizations == [BrokerInterface.Authorization(kind: AuthorizationKind.unlock.rawValue)] else {
                throw .unreachable("the broker asks for other signatures than a new vault needs")
            }
        } catch {
            throw ConversationError(error)
        }
        return record
    }

    /// Compares the proposal with what root knows. Only the vault id, Names and storage key are the broker's own. The owner's name comes from the
    /// authenticator.
    func checked(_ proposal: RegistryRecord, now: Int64 = WallTime.milliseconds) throws(ConversationError)
        -> RegistryRecord
    {
        let names = Set(proposal.objects.values)
        let age = (Double(now) - Double(proposal.created)) / 1000
        guard proposal.format == RegistryRecord.currentFormat, proposal.owner == owner,
            proposal.authenticatorKey == keys.present.publicKey, proposal.sealer == sealer,
            proposal.isService == isService,
            (proposal.storageKey == nil) == (sealer == .software),
            (proposal.generation == nil) == (sealer == .software), proposal.biometrySet == nil, proposal.binding == nil,
            proposal.storageKey.map({
                $0.name.count == 34 && !$0.context.isEmpty && $0.context.count <= BrokerLimits.context
            }) ?? true,
            (proposal.counter == nil) == (sealer == .software),
            Set(proposal.objects.keys) == Set(ObjectRole.ofNewVault), names.count == proposal.objects.count,
            names.allSatisfy({ $0.count == 34 }), proposal.vault.bytes.contains(where: { $0 != 0 }),
            abs(age) < BrokerLimits.recordAge
        else {
            throw .refused(
                .notCompleted(
                    "the broker made a vault that is not what was asked for, so it was not registered", kind: "failed")
            )
        }
        return RegistryRecord(
            vault: proposal.vault, owner: owner, ownerName: ownerName, created: proposal.created, sealer: sealer,
            authenticatorKey: keys.present.publicKey, storageKey: proposal.storageKey, counter: proposal.counter,
            objects: proposal.objects, isService: isService, generation: proposal.generation, maker: maker)
    }
}
