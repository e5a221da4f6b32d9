import Authorization
import BrokerProtocol
import FoundationEssentials

/// Ties a keychain to the boot, or lets go of it (docs/boot.md). Made only after PAM has let the person in, for just this.
struct TiedKeychain {
    private let record: RegistryRecord
    private let ties: Bool
    private let signer: Signer
    private let resealing: Resealing
    private let signatures: [SignatureWays.Signature]

    init(demand: Demand, signer: Signer, registry: Registry) throws(ConversationError) {
        guard let record = demand.record, demand.changesBoot else {
            throw .refused(.challengeRefused("The challenge ties no keychain to the boot."))
        }
        self.record = record
        self.signer = signer
        ties = demand.purposes == [.tieToBoot]
        signatures = demand.signatures
        resealing = Resealing(record: record, registry: registry, challenge: signer.challenge)
    }

    /// Has all roots released by a signature, then sealed anew.
    func perform(_ broker: inout BrokerConnection) throws(ConversationError) {
        for signature in signatures where signature.kind == .unlock {
            do throws(BrokerFailure) { try signer.sign(signature, reseals: true, through: &broker) } catch {
                throw ConversationError(error)
            }
        }
        try performReleased(&broker)
    }

    /// The same, where the unlock root is released already.
    func performReleased(_ broker: inout BrokerConnection) throws(ConversationError) {
        try signer.sign(signatures.filter { $0.kind != .unlock }, through: &broker)
        try resealing.perform(BrokerInterface.ResealForBoot(challenge: signer.challenge), through: &broker) {
            (reply) throws(BrokerFailure) in try checked(reply)
        }
    }

    /// The broker alone knows Names, index and registers; that they can be a keychain's is checked, and all else stays as it is.
    private func checked(_ reply: BrokerInterface.ResealForBoot.Reply) throws(BrokerFailure) -> RegistryRecord {
        var names: [ObjectRole: [UInt8]] = [:]
        for (key, value) in reply.names {
            guard let number = UInt16(key), let role = ObjectRole(rawValue: number),
                let name = Data(base64Encoded: value),
                name.count == 34, !record.objects.values.contains([UInt8](name))
            else { throw Self.nonsense }
            names[role] = [UInt8](name)
        }
        let expected = ObjectRole.tiedToBoot + (ties ? [.approvingKey] : [])
        guard Set(names.keys) == Set(expected), Set(names.values).count == names.count, (reply.boot != nil) == ties
        else {
            throw Self.nonsense
        }
        guard let tie = reply.boot else { return record.with(boot: nil, names: names) }
        guard let handle = UInt32(exactly: tie.index.handle), let policy = Data(base64Encoded: tie.index.policy),
            let index = IndexPin(handle: handle, policy: [UInt8](policy)), index != record.binding?.index,
            let boot = BootPin(index: index, registers: tie.registers.map { Int(clamping: $0) })
        else { throw .unreachable("The broker names an index that approves no boots.") }
        return record.with(boot: boot, names: names)
    }

    private static let nonsense = BrokerFailure.unreachable(
        "The broker passes other objects off as the keychain's new roots.")
}
