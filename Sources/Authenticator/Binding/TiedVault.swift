import Authorization
import BrokerProtocol
import Platform
import Varlink

/// Ties a vault to the boot, or releases it (docs/boot.md). It is made only after PAM has let the person in for this purpose.
struct TiedVault {
    private let record: RegistryRecord
    private let ties: Bool
    private let signer: Signer
    private let resealing: Resealing
    private let signatures: [SignatureWays.Signature]

    /// - Parameter ties: whether the vault is tied; otherwise it is released.
    init(_ checked: CheckedRequest, ties: Bool, signer: Signer, registry: Registry) throws(ConversationError) {
        guard let record = checked.record else {
            throw .refused(.challengeRefused("the challenge ties no vault to the boot"))
        }
        self.record = record
        self.signer = signer
        self.ties = ties
        signatures = checked.signatures
        resealing = Resealing(record: record, registry: registry, challenge: signer.challenge)
    }

    /// Has a signature release all roots, and then has them sealed anew.
    func perform(_ broker: inout BrokerConnection) throws(ConversationError) {
        for signature in signatures where signature.kind == .unlock {
            do throws(BrokerFailure) { try signer.sign(signature, reseals: true, through: &broker) } catch {
                throw ConversationError(error)
            }
        }
        try performReleased(&broker)
    }

    /// Does the same if the unlock root is released already.
    func performReleased(_ broker: inout BrokerConnection) throws(ConversationError) {
        try signer.sign(signatures.filter { $0.kind != .unlock }, through: &broker)
        try resealing.perform(BrokerInterface.ResealForBoot(challenge: signer.challenge), through: &broker) {
            (reply) throws(BrokerFailure) in try checked(reply)
        }
    }

    /// Takes Names, index and registers from the broker, which alone knows them, and checks that they are plausible. The rest of the record stays.
    private func checked(_ reply: BrokerInterface.ResealForBoot.Reply) throws(BrokerFailure) -> RegistryRecord {
        var names: [ObjectRole: [UInt8]] = [:]
        for (key, value) in reply.names {
            guard let number = UInt16(key), let role = ObjectRole(ofVault: number),
                let name = Base64.decode(value),
                name.count == 34, !record.objects.values.contains(name)
            else { throw Self.nonsense }
            names[role] = name
        }
        let expected = ObjectRole.tiedToBoot + (ties ? [.approvingKey] : [])
        guard Set(names.keys) == Set(expected), Set(names.values).count == names.count, (reply.boot != nil) == ties
        else {
            throw Self.nonsense
        }
        guard let tie = reply.boot else { return record.with(boot: nil, names: names) }
        guard let handle = UInt32(exactly: tie.index.handle), let policy = Base64.decode(tie.index.policy),
            let index = IndexPin(handle: handle, policy: policy), index != record.binding?.index,
            let boot = BootPin(index: index, registers: tie.registers.map { Int(clamping: $0) })
        else { throw .unreachable("the broker names an index that approves no boots") }
        return record.with(boot: boot, names: names)
    }

    private static let nonsense = BrokerFailure.unreachable(
        "the broker named other objects as the vault's new roots")
}

/// Puts a vault under new roots. The broker writes them to the file before the registry names them, and uses them after that. So a crash in between
/// leaves the vault as it was.
struct Resealing {
    let record: RegistryRecord
    let registry: Registry
    let challenge: String

    /// - Parameters:
    ///   - method: has the broker seal the new roots.
    ///   - next: checks the broker's reply and returns the record that names the new roots.
    func perform<Method: VarlinkMethod>(
        _ method: Method, through broker: inout BrokerConnection,
        next: (Method.Reply) throws(BrokerFailure) -> RegistryRecord
    ) throws(ConversationError) {
        let lock = try claim()
        defer { lock.keep() }
        do throws(BrokerFailure) {
            let next = try next(broker.call(method, within: BrokerLimits.sealing))
            do throws(RegistryError) { try registry.replace(record, with: next) } catch {
                throw .unreachable(
                    "the registry cannot be changed, so the vault is as it was: \(error.reason)", advice: error.advice)
            }
            _ = try broker.call(BrokerInterface.AdoptRoots(challenge: challenge), within: BrokerLimits.sealing)
        } catch {
            throw ConversationError(error)
        }
    }

    /// From sealing to Adopt, no other conversation may have the broker replace the roots that the registry is about to name.
    private func claim() throws(ConversationError) -> FileLock {
        do throws(SystemError) {
            let directory = "\(registry.directory)/bindings"
            try Folder.make(directory, mode: 0o700)
            if let lock = try FileLock(unlessHeld: "\(directory)/\(uid).claim") { return lock }
        } catch {
            throw .refused(.misconfigured(error))
        }
        throw .refused(
            .notCompleted("your vault is already being sealed anew", advice: "try again in a moment", kind: "failed"))
    }

    private var uid: UInt32 {
        guard case .user(let uid) = record.owner else { return .max }
        return uid
    }
}
