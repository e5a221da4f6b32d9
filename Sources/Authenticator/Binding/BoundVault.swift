import Authorization
import BrokerProtocol
import Cryptography
import JSON
import PAM
import Platform

/// Opens a vault that is bound to the login password, binds one, or unbinds it (docs/binding.md). It is made only after PAM has accepted the password
/// in this conversation. The TPM gets a value derived from that password. After a password change, it gets one derived from the earlier password
/// once.
struct BoundVault {
    /// What the password is needed for.
    private enum Work {
        /// To open the vault. After a password change, this also binds it to the present password.
        case open
        case bind
        case unbind
        /// To tie the vault to the boot, or release it.
        case changeBoot(ties: Bool)
        case rotate

        init(_ request: PersonRequest) throws(ConversationError) {
            switch request.kind {
            case .unlock, .read, .readAll, .change, .rename: self = .open
            case .bind: self = .bind
            case .unbind: self = .unbind
            case .tieToBoot: self = .changeBoot(ties: true)
            case .releaseFromBoot: self = .changeBoot(ties: false)
            case .rotate: self = .rotate
            default: throw BoundVault.opensNothing
            }
        }
    }

    private let password: SecretBytes
    private let work: Work
    private let checked: CheckedRequest
    private let record: RegistryRecord
    private let unlock: SignatureWays.Signature
    private let signer: Signer
    private let registry: Registry

    private static let opensNothing = ConversationError.refused(
        .challengeRefused("the challenge opens no vault"))

    /// - Parameter password: nil if the stack asked for more than one thing, or for nothing.
    init(
        password: SecretBytes?, checked: CheckedRequest, signer: Signer, registry: Registry
    ) throws(ConversationError) {
        guard let password else {
            throw .refused(
                .misconfigured(
                    "the PAM service coffer-passcode must ask for the login password and for nothing else",
                    advice: "check /etc/pam.d/coffer-passcode"))
        }
        guard let record = checked.record, let unlock = checked.signatures.first(where: { $0.kind == .unlock }) else {
            throw Self.opensNothing
        }
        work = try Work(checked.request)
        self.password = password
        self.checked = checked
        self.record = record
        self.unlock = unlock
        self.signer = signer
        self.registry = registry
    }

    /// Does what the person allowed, and makes the challenge's other signatures.
    func perform(_ session: inout ClientSession, _ broker: inout BrokerConnection) throws(ConversationError) {
        switch work {
        case .open:
            if try !release(&session, &broker) {
                try reseal(bindingTo: password, &broker)
                let text = "Your vault is now bound to the new password."
                _ = try session.show(Message(style: .info, text: text))
            }
            try signOthers(&broker)
        case .bind:
            do throws(BrokerFailure) { try signer.sign(unlock, reseals: true, through: &broker) } catch {
                throw ConversationError(error)
            }
            try reseal(bindingTo: password, &broker)
            try signOthers(&broker)
        case .unbind:
            _ = try release(&session, &broker)
            try reseal(bindingTo: nil, &broker)
            try signOthers(&broker)
        case .changeBoot(let ties):
            _ = try release(&session, &broker)
            try TiedVault(checked, ties: ties, signer: signer, registry: registry).performReleased(&broker)
        case .rotate:
            _ = try release(&session, &broker)
            let rotation = try VaultRotation(checked, signer: signer, registry: registry, password: password)
            try rotation.perform(through: &broker)
        }
    }

    private func signOthers(_ broker: inout BrokerConnection) throws(ConversationError) {
        try signer.sign(checked.signatures.filter { $0 != unlock }, through: &broker)
    }

    /// Whether the root is sealed anew even if the vault is bound to this password.
    private var resealsPresent: Bool {
        switch work {
        case .unbind, .changeBoot: true
        case .open, .bind, .rotate: false
        }
    }

    /// Whether the root is sealed anew after the earlier password has released it. A rotation makes another root instead.
    private var resealsEarlier: Bool {
        switch work {
        case .open, .bind, .unbind, .changeBoot: true
        case .rotate: false
        }
    }

    /// Has the TPM release the unlock root.
    /// - Returns: true if the vault is bound to this password; false if the earlier password released the root.
    private func release(
        _ session: inout ClientSession, _ broker: inout BrokerConnection
    ) throws(ConversationError) -> Bool {
        guard let binding = record.binding else { throw Self.opensNothing }
        let outdated = try OutdatedBinding(registryDirectory: registry.directory, uid: uid)
        let turn = try TrialTurn(registryDirectory: registry.directory, uid: uid)
        var left: Int64?
        var pin = try LoginPassword.pin(of: password, salt: binding.salt, cost: binding.cost)
        let mark = try LoginPassword.mark(of: pin, key: checked.passwordKey)
        do {
            // It ends before the person is asked, so nobody waits for a person who thinks.
            let lock = try turn.take(&session)
            defer { lock.keep() }
            if try !outdated.isKnown(binding, mark) {
                let outcome = try attempt(pin, reseals: resealsPresent, &broker)
                guard case .wrong(let rest) = outcome else {
                    try outdated.note(nil)
                    return true
                }
                left = rest
                try outdated.note(binding, mark)
            }
        }
        if case .changeBoot = work { throw Self.outdated }
        // No password that is typed now opens the vault.
        if left == 0 { throw Self.usedUp }
        let earlier = try askForEarlier(left, &session)
        // Programs that answer give the same password to each question, and each try at the TPM would be lost.
        guard earlier != password else { throw Self.present }
        pin = try LoginPassword.pin(of: earlier, salt: binding.salt, cost: binding.cost)
        let earlierMark = try LoginPassword.mark(of: pin, key: checked.passwordKey)
        let lock = try turn.take(&session)
        defer { lock.keep() }
        if let earlierMark, try outdated.isKnown(binding, earlierMark) { throw Self.triedBefore }
        if case .wrong(let rest) = try attempt(pin, reseals: resealsEarlier, &broker) {
            if let earlierMark { try outdated.note(binding, earlierMark) }
            let again = rest == 0 ? "" : "run coffer unlock to try again; if you no longer know it, "
            throw .refused(
                .failed(
                    .boundPassword,
                    "your vault is not bound to that password, and the TPM \(Self.words(rest))",
                    advice: again + Self.withoutPassword))
        }
        try outdated.note(nil)
        return false
    }

    private static let usedUp = ConversationError.refused(
        .failed(
            .boundPassword,
            "your login password was changed, your vault is bound to the former one, and the TPM accepts no more tries",
            advice: withoutPassword))

    private static let present = ConversationError.refused(
        .failed(
            .boundPassword,
            "that is your present login password, and your vault is bound to the one before it",
            advice: "run coffer unlock, and type the former password when it asks for that; "
                + "if you no longer know it, \(withoutPassword)"))

    private static let triedBefore = ConversationError.refused(
        .failed(
            .boundPassword,
            "that password was tried before, and your vault is not bound to it",
            advice: "run coffer unlock, and type another one; if you no longer know it, \(withoutPassword)"))

    /// The binding must be updated before the tie to the boot changes.
    private static let withoutPassword =
        "have root set the vault aside with: coffer vault set-aside --user NAME --force; then restore the secrets with: coffer recovery restore FILE"

    private static let outdated = ConversationError.refused(
        .failed(
            .boundPassword,
            "your login password was changed, but your vault is still bound to the former one",
            advice: "run coffer unlock first, which binds the vault to the new password"))

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
            + "The TPM \(Self.words(left)). Type the former password once to bind the vault to the new one."
        _ = try session.show(Message(style: .info, text: text))
        // An empty password never was the login password: PAM accepts none.
        guard let answer = try session.show(Message(style: .secret, text: "Former password: ")), !answer.isEmpty else {
            throw .cancelled
        }
        return answer
    }

    /// What the TPM does about wrong passwords.
    private static func words(_ left: Int64?) -> String {
        switch left {
        case nil: "counts wrong passwords"
        case 0?: "accepts no more tries"
        case 1?: "allows one more wrong password"
        case .some(let left): "allows \(left) more wrong passwords"
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
        guard let name = Base64.decode(reply.name), name.count == 34,
            !record.objects.values.contains(name), (reply.index != nil) == isToBeBound
        else { throw .unreachable("the broker named another object as the vault's new root") }
        guard let index = reply.index else { return record.with(binding: nil, unlockRoot: name) }
        guard let handle = UInt32(exactly: index.handle), let policy = Base64.decode(index.policy),
            let pin = IndexPin(handle: handle, policy: policy),
            let binding = BindingPin(index: pin, salt: salt), pin != record.binding?.index
        else { throw .unreachable("the broker names an index that counts no tries of a password") }
        return record.with(binding: binding, unlockRoot: name)
    }

    private var uid: UInt32 {
        guard case .user(let uid) = record.owner else { return .max }
        return uid
    }
}

/// Derives a PIN from the password before it leaves this process. The broker and the TPM never see the password itself.
enum LoginPassword {
    /// Runs scrypt with root's salt and cost. It takes some tenths of a second and gives 32 bytes.
    static func pin(of password: SecretBytes, salt: [UInt8], cost: Int) throws(ConversationError) -> SecretBytes {
        do throws(CryptographyError) {
            return try Scrypt.derive(
                password: password, salt: salt,
                cost: Scrypt.Cost(rounds: 1 << UInt64(cost), blockSize: 8, parallelism: 1), count: 32)
        } catch {
            throw .refused(.misconfigured("the authenticator cannot derive a key from the password: \(error.reason)"))
        }
    }

    /// Tells passwords apart in ``OutdatedBinding`` and ``RenewalSalt``. Nobody can guess at a password by its mark without the vault's key, which takes this machine's
    /// TPM, and then each guess costs what ``pin(of:salt:cost:)`` costs.
    /// - Returns: nil without a key. Then the memory is of any password.
    static func mark(of pin: SecretBytes, key: SecretBytes?) throws(ConversationError) -> SecretBytes? {
        guard let key else { return nil }
        do throws(CryptographyError) {
            let salt = key.withBytes { span in span.indices.map { span[$0] } }
            return try HKDF.derive(pin, salt: salt, info: Array("org.coffer.outdated-password".utf8), count: 32)
        } catch {
            throw .refused(.misconfigured("the authenticator cannot mark a password: \(error.reason)"))
        }
    }

    static func newSalt() throws(ConversationError) -> [UInt8] {
        do throws(CryptographyError) { return try Random.bytes(BindingPin.saltCount) } catch {
            throw .refused(.misconfigured("the authenticator has no random numbers: \(error.reason)"))
        }
    }
}

/// Remembers which passwords a vault is not bound to. Otherwise, after a password change, each unlocking of the screen
/// would use up one of the TPM's tries. Another password is tried: somebody who goes back to the former one is not
/// asked for it.
struct OutdatedBinding {
    fileprivate struct Content: JSONValue, Equatable {
        /// The salt of the binding that the passwords did not fit, in hexadecimal.
        var salt: String?
        /// The passwords' marks, in hexadecimal, the oldest first. A salt without marks stands for every password.
        var marks: [String] = []
        /// Whether a password was tried without the vault's key, too. Without it, no further one is.
        var isKeyless = false
    }

    /// How many passwords it remembers. This is more than the TPM's tries, so none of them is tried twice.
    static let most = 16

    private let file: StateFile<Content>

    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(
                registryDirectory: registryDirectory, folder: "bindings", uid: uid, nothing: Content())
        } catch { throw Self.conversationError(error) }
    }

    /// Whether the password with this mark is known not to fit.
    func isKnown(_ binding: BindingPin, _ mark: SecretBytes?) throws(ConversationError) -> Bool {
        let noted: Content
        do throws(SystemError) { noted = try file.update { $0 } } catch { throw Self.conversationError(error) }
        guard noted.salt == Hex.encode(binding.salt) else { return false }
        guard let mark else { return noted.isKeyless || noted.marks.isEmpty }
        let bytes = mark.withBytes { span in span.indices.map { span[$0] } }
        return noted.marks.compactMap(Hex.decode).contains { ConstantTime.equal(bytes, $0) }
    }

    /// Remembers one more password, or none.
    /// - Parameter binding: the binding that the password does not fit; nil if the password fits.
    func note(_ binding: BindingPin?, _ mark: SecretBytes? = nil) throws(ConversationError) {
        let text = mark?.withBytes { span in Hex.encode(span.indices.map { span[$0] }) }
        do throws(SystemError) {
            try file.update { content in
                let salt = binding.map { Hex.encode($0.salt) }
                let others = salt == content.salt ? content.marks.filter { $0 != text } : []
                let marks = others + (text.map { [$0] } ?? [])
                let wasKeyless = salt == content.salt && content.isKeyless
                content = Content(
                    salt: salt, marks: Array(marks.suffix(Self.most)),
                    isKeyless: salt != nil && (text == nil || wasKeyless))
            }
        } catch { throw Self.conversationError(error) }
    }

    private static func conversationError(_ error: SystemError) -> ConversationError {
        .refused(.misconfigured("the authenticator cannot remember what it tried: \(error)"))
    }
}

extension OutdatedBinding.Content {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var isKeyless: Bool?
        var mark: String?
        var marks: [String]?
        var salt: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["keyless", "mark", "marks", "salt"]) {
            switch member {
            case 0: isKeyless = try reader.read()
            case 1: mark = try reader.read()
            case 2: marks = try reader.read()
            default: salt = try reader.read()
            }
        }
        self.isKeyless = isKeyless ?? false
        self.salt = salt
        self.marks = (mark.map { [$0] } ?? []) + (marks ?? [])
    }

    /// The first mark has a member of its own, as in files that have one mark only.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if isKeyless { writer.member("keyless", isKeyless) }
        writer.member("mark", marks.first)
        if marks.count > 1 { writer.member("marks", Array(marks.dropFirst())) }
        writer.member("salt", salt)
        writer.endObject()
    }
}
