import Authorization
import BrokerProtocol
import Cryptography
import Platform

/// A challenge's request to the person, checked against what root knows. A taken-over broker can lie about item and reason. It cannot get
/// signatures for another user's vault, or for more than the request that is shown.
struct CheckedRequest {
    /// The request that the person is shown.
    var request: PersonRequest
    let claim: Claim
    /// nil if the vault is to be made.
    let record: RegistryRecord?
    /// What is signed after the person has given every proof. It is one of the ways that the challenge allows.
    let signatures: [SignatureWays.Signature]
    /// The PAM services that the person must pass, one after the other.
    let services: NeededServices
    /// Whether the password itself is needed, for a vault that is bound to it. PAM's word that it was right is then not enough.
    let needsPassword: Bool
    let reason: String?
    /// When the client's own vault was last locked, in milliseconds of the boot clock.
    let lastLock: Int64
    /// The key for ``OutdatedBinding``; nil if the vault is not bound, or the broker gave none.
    let passwordKey: SecretBytes?
    /// The lease that allows the request without a question; nil if the person is asked.
    let leased: LeasedRead?

    /// - Throws: ``ConversationError`` if anything contradicts the registry or the request.
    init(
        _ facts: BrokerInterface.Describe.Reply, of client: Client, registry: Registry, keys: SigningKeys,
        sealer: SealerKind,
        leased: (PersonRequest, SignatureWays, RegistryRecord?) throws(ConversationError) -> LeasedRead?,
        biometrics: (RegistryRecord?) -> BiometricAvailability
    ) throws(ConversationError) {
        request = try PersonRequest(facts)
        claim = try Claim(facts.owner, of: client, for: request)
        let ways = try SignatureWays(
            facts.authorizations, facts.alternatives.map { $0.map { Int(clamping: $0) } }, for: request)
        record = try Self.record(for: claim.owner, in: registry, vault: facts.vault)
        if let record { try Self.check(record, of: claim.name, keys: keys, sealer: sealer) }
        try claim.check(request, on: record)
        try Self.check(record, for: request)
        // What a lease covers takes no finger now, so nobody looks for one.
        let lease = facts.leased == true ? try leased(request, ways, record) : nil
        self.leased = lease
        if let lease {
            signatures = lease.signatures
        } else if ways.hasBiometric, let locked = BiometricAvailability(screenLocked: facts.screenLocked) {
            signatures = try ways.choose(locked)
        } else {
            signatures = try ways.choose(ways.hasBiometric ? biometrics(record) : .available)
        }
        try Self.check(signatures, for: request)
        let opens = signatures.contains { $0.kind == .unlock }
        needsPassword = opens && Self.isBound(record, during: request)
        services = NeededServices(for: signatures.map(\.kind), withPassword: needsPassword, record)
        reason = facts.reason
        lastLock = facts.lastLock
        passwordKey = try facts.passwordKey.map { (text) throws(ConversationError) in try Self.passwordKey(text) }
    }

    private static func passwordKey(_ text: String) throws(ConversationError) -> SecretBytes {
        do throws(CryptographyError) {
            if let key = try SecretBytes(base64Encoded: text), key.count == 32 { return key }
        } catch {
            throw .refused(.misconfigured("there is no memory for a key: \(error.reason)"))
        }
        throw .refused(.challengeRefused("the broker gave a key of the wrong length"))
    }

    /// The person to ask. If root accepts a person's vault, this is the vault's owner; otherwise the client's user.
    /// - Returns: nil if nobody is asked. A service vault has nobody to ask.
    func person(_ client: Client) throws(ConversationError) -> Account? {
        guard request.kind == .accept else { return claim.right == .root ? nil : client.account }
        let isService = record?.isService ?? false
        return try isService ? nil : owner(client)
    }

    /// The vault's owner; the client's user if the vault is a group's.
    private func owner(_ client: Client) throws(ConversationError) -> Account {
        guard case .user(let uid) = claim.owner, uid != client.account.uid else { return client.account }
        let account: Account?
        do throws(SystemError) { account = try Account.withUID(uid) } catch {
            throw .refused(.misconfigured(error))
        }
        guard let account else { throw .refused(.challengeRefused("the challenge is for another owner's vault")) }
        return account
    }

    /// The vault's record.
    /// - Throws: ``ConversationError`` if the vault is to be made.
    func registered() throws(ConversationError) -> RegistryRecord {
        guard let record else { throw Self.wrongVault }
        return record
    }

    /// Checks that the request fits the vault as it is registered now.
    private static func check(_ record: RegistryRecord?, for request: PersonRequest) throws(ConversationError) {
        guard let record else {
            guard request.kind.terms.vault == .absent else { throw wrongVault }
            return
        }
        switch request.kind.terms.vault {
        case .absent: throw wrongVault
        case .present: break
        case .unbound: guard record.canBeBound, record.binding == nil else { throw unbindable }
        case .bound: guard record.canBeBound, record.binding != nil else { throw unbindable }
        case .untied: guard record.canBeBound, record.boot == nil else { throw untieable }
        case .tied: guard record.canBeBound, record.boot != nil else { throw untieable }
        }
    }

    private static let wrongVault = ConversationError.refused(
        .challengeRefused("the challenge makes a vault that exists, or opens one that does not"))
    private static let unbindable = ConversationError.refused(
        .challengeRefused("the vault cannot be bound or unbound now"))
    private static let untieable = ConversationError.refused(
        .challengeRefused("the vault cannot be tied to the boot, or released from it, now"))

    /// Checks that no more is signed than the named fields can need: each kind of reading once for each field, and one unlock.
    private static func check(
        _ signatures: [SignatureWays.Signature], for request: PersonRequest
    ) throws(ConversationError) {
        let roots = request.kind.rootSignatures(unlocking: request.unlocks)
        let isEach = AuthorizationKind.allCases.allSatisfy { kind in
            let most = kind.isForReading ? request.fieldCount : roots.count { $0 == kind }
            return signatures.count { $0.kind == kind } <= most
        }
        guard isEach else { throw PersonRequest.unnamedItems }
    }

    /// Whether the vault is bound to the login password, or is to be.
    private static func isBound(_ record: RegistryRecord?, during request: PersonRequest) -> Bool {
        request.kind == .bind || record?.binding != nil
    }

    private static func record(
        for owner: Owner, in registry: Registry, vault: String?
    ) throws(ConversationError) -> RegistryRecord? {
        let record: RegistryRecord?
        do { record = try registry.record(for: owner) } catch {
            throw .refused(.notCompleted("the registry cannot be used", error, kind: "damaged"))
        }
        guard record?.vault.hex == vault else {
            throw .refused(.challengeRefused("the challenge is not for the registered vault"))
        }
        return record
    }

    /// Checks that the record belongs to the owner of this name, and that this authenticator's keys and sealer made it.
    static func check(
        _ record: RegistryRecord, of name: String, keys: SigningKeys, sealer: SealerKind
    ) throws(ConversationError) {
        guard record.ownerName == name else {
            throw .refused(
                .denied(
                    "this vault was made for \(EscapedText.quoted(record.ownerName, limit: PromptLimits.owner)), "
                        + "and its number now belongs to another account or group"))
        }
        guard try keys.key(for: record) != nil else {
            throw .refused(
                .notCompleted(
                    "this vault was made with another signing key",
                    advice:
                        "restore signing-key.pem and the folder former-keys in \(keys.directory) from a backup",
                    kind: "damaged"))
        }
        guard record.sealer == sealer else {
            throw .refused(
                .misconfigured(
                    "this vault is sealed by \(record.sealer.rawValue), but the configuration says \(sealer.rawValue)")
            )
        }
    }
}
