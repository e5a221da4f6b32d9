import Authorization
import BrokerProtocol
import Cryptography
import FoundationEssentials
import PAM
import Platform

/// Opens a vault that is bound to the login password, binds one, or unbinds it (docs/binding.md). It is made only after PAM has accepted the password
/// in this conversation. The TPM gets a value derived from that password. After a password change, it gets one derived from the earlier password
/// once.
struct BoundKeychain {
    private let password: SecretBytes
    private let demand: Demand
    private let record: RegistryRecord
    private let unlock: SignatureWays.Signature
    private let signer: Signer
    private let registry: Registry

    /// - Parameter password: nil if the stack asked for more than one thing, or for nothing.
    init(password: SecretBytes?, demand: Demand, signer: Signer, registry: Registry) throws(ConversationError) {
        guard let password else {
            throw .refused(
                .misconfigured(
                    "The PAM service coffer-passcode must ask for the login password and for nothing else; "
                        + "check /etc/pam.d/coffer-passcode."))
        }
        guard let record = demand.record, let unlock = demand.signatures.first(where: { $0.kind == .unlock }) else {
            throw .refused(.challengeRefused("The challenge opens no vault."))
        }
        self.password = password
        self.demand = demand
        self.record = record
        self.unlock = unlock
        self.signer = signer
        self.registry = registry
    }

    /// Does what the person allowed, and then makes the challenge's other signatures.
    func perform(_ session: inout ClientSession, _ broker: inout BrokerConnection) throws(ConversationError) {
        if let binding = record.binding {
            let isUnbinding = demand.purposes == [.unbind]
            let isCurrent = try release(binding, &session, &broker)
            if demand.changesBoot {
                return try TiedKeychain(demand: demand, signer: signer, registry: registry).performReleased(&broker)
            }
            if demand.purposes == [.rotate] {
                let rotation = KeychainRotation(
                    demand: demand, record: record, signer: signer, registry: registry, password: password)
                return try rotation.perform(through: &broker)
            }
            if isUnbinding {
                try reseal(bindingTo: nil, &broker)
            } else if !isCurrent {
                try reseal(bindingTo: password, &broker)
                let text = "Your vault is now bound to the new password."
                _ = try session.show(Message(style: .info, text: text))
            }
        } else {
            do throws(BrokerFailure) { try signer.sign(unlock, reseals: true, through: &broker) } catch {
                throw ConversationError(error)
            }
            try reseal(bindingTo: password, &broker)
        }
        try signer.sign(demand.signatures.filter { $0 != unlock }, through: &broker)
    }

    /// Has the TPM release the unlock root.
    /// - Returns: true if the vault is bound to this password; false if the earlier password released the root.
    private func release(
        _ binding: BindingPin, _ session: inout ClientSession, _ broker: inout BrokerConnection
    ) throws(ConversationError) -> Bool {
        let outdated = try OutdatedBinding(registryDirectory: registry.directory, uid: uid)
        var left: Int64?
        if try !outdated.isKnown(binding) {
            let pin = try LoginPassword.pin(of: password, salt: binding.salt, cost: binding.cost)
            let outcome = try attempt(pin, reseals: demand.purposes == [.unbind] || demand.changesBoot, &broker)
            guard case .wrong(let rest) = outcome else { return true }
            left = rest
            try outdated.note(binding)
        }
        guard !demand.changesBoot else { throw Self.outdated }
        let earlier = try askForEarlier(left, &session)
        let pin = try LoginPassword.pin(of: earlier, salt: binding.salt, cost: binding.cost)
        if case .wrong(let rest) = try attempt(pin, reseals: demand.purposes != [.rotate], &broker) {
            throw .refused(
                .failed(
                    .boundPassword,
                    "Your vault is not bound to that password. \(Self.words(rest)) Run coffer unlock to try again, or "
                        + "restore the secrets with the recovery code: coffer recovery restore"
                ))
        }
        try outdated.note(nil)
        return false
    }

    /// The binding must be updated before the tie to the boot changes.
    private static let outdated = ConversationError.refused(
        .failed(
            .boundPassword,
            "Your login password was changed, but your vault is still bound to the former one. Run coffer unlock first: "
                + "it binds the vault to the new password."))

    private enum Outcome {
        case released
        /// With the number of tries that the TPM leaves, if it is known.
        case wrong(Int64?)
    }

    private func attempt(
        _ pin: SecretBytes, reseals: Bool, _ broker: inout BrokerConnection
    ) throws(ConversationError) -> Outcome {
        do throws(BrokerFailure) {
            try signer.sign(unlock, pin: pin, reseals: reseals, through: &broker)
            return .released
        } catch {
            if case .refused(let fault) = error, fault.name == .brokerTPM,
                fault.details.kind == BrokerInterface.wrongPassword
            {
                return .wrong(fault.details.triesLeft)
            }
            throw ConversationError(error)
        }
    }

    private func askForEarlier(_ left: Int64?, _ session: inout ClientSession) throws(ConversationError) -> SecretBytes
    {
        let text =
            "Your login password was changed, but your vault is still bound to the former one. "
            + Self.words(left) + " Type the former password once to bind the vault to the new one."
        _ = try session.show(Message(style: .info, text: text))
        guard let answer = try session.show(Message(style: .secret, text: "Former password: ")) else {
            throw .cancelled
        }
        return answer
    }

    private static func words(_ left: Int64?) -> String {
        switch left {
        case nil: "The TPM counts wrong passwords."
        case 0?: "The TPM accepts no more tries."
        case 1?: "The TPM allows one more wrong password."
        case .some(let left): "The TPM allows \(left) more wrong passwords."
        }
    }

    /// Seals a new unlock root, under this password or under none. The broker writes it to the file before the registry names it. So a crash in
    /// between leaves the vault as it was.
    private func reseal(bindingTo password: SecretBytes?, _ broker: inout BrokerConnection) throws(ConversationError) {
        let salt = try LoginPassword.newSalt()
        var pin: SecretBytes?
        if let password { pin = try LoginPassword.pin(of: password, salt: salt, cost: BindingPin.standardCost) }
        let resealing = Resealing(record: record, registry: registry, challenge: signer.challenge)
        try resealing.perform(
            BrokerInterface.Reseal(challenge: signer.challenge, pin: pin?.base64Encoded()), through: &broker
        ) { (reply) throws(BrokerFailure) in try checked(reply, salt: salt, isToBeBound: pin != nil) }
        try OutdatedBinding(registryDirectory: registry.directory, uid: uid).note(nil)
    }

    /// Takes from the reply what only the broker knows, the Name and the index. Salt and cost are the authenticator's own.
    private func checked(
        _ reply: BrokerInterface.Reseal.Reply, salt: [UInt8], isToBeBound: Bool
    ) throws(BrokerFailure) -> RegistryRecord {
        guard let name = Data(base64Encoded: reply.name), name.count == 34,
            !record.objects.values.contains([UInt8](name)), (reply.index != nil) == isToBeBound
        else { throw .unreachable("The broker named another object as the vault's new root.") }
        guard let index = reply.index else { return record.with(binding: nil, unlockRoot: [UInt8](name)) }
        guard let handle = UInt32(exactly: index.handle), let policy = Data(base64Encoded: index.policy),
            let pin = IndexPin(handle: handle, policy: [UInt8](policy)),
            let binding = BindingPin(index: pin, salt: salt), pin != record.binding?.index
        else { throw .unreachable("The broker names an index that counts no tries of a password.") }
        return record.with(binding: binding, unlockRoot: [UInt8](name))
    }

    private var uid: UInt32 {
        guard case .user(let uid) = record.owner else { return .max }
        return uid
    }
}
