import Authorization
import BrokerProtocol
import Platform

/// A challenge's request to the person, after checking the broker's description against what root knows. A taken-over broker can lie about item and
/// reason. It cannot get signatures for another user's vault, or for more than the purposes that are shown.
struct Demand {
    let claim: Claim
    /// nil if the vault is to be made.
    let record: RegistryRecord?
    /// The purposes that the person is shown.
    let purposes: Set<Keychain.Purpose>
    /// What is signed after the person has given every proof. It is one of the ways that the challenge allows.
    let signatures: [SignatureWays.Signature]
    /// The PAM services that the person must pass, one after the other.
    let services: [ProofService]
    /// Whether the vault is to be tied to the boot, or released from it.
    var changesBoot: Bool { purposes == [.tieToBoot] || purposes == [.releaseFromBoot] }
    /// Whether the password itself is needed, for a vault that is bound to it. PAM's word that it was right is then not enough.
    let needsPassword: Bool
    let item: (service: String, account: String)?
    /// The item's new name; nil if it keeps its name.
    let newName: (service: String, account: String)?
    let reason: String?
    /// When the client's own vault was last locked, in milliseconds of the boot clock.
    let lastLock: Int64
    /// The items that are read to renew the vault's keys. The person is shown each of them.
    let rotated: [(service: String, account: String)]
    /// The kinds of biometry that an item is to be bound to. If there are any, nobody is asked and nothing is signed.
    let enrolment: [AuthorizationKind]

    /// - Throws: ``ConversationError`` if anything contradicts the registry or the purposes.
    init(
        _ facts: BrokerInterface.Describe.Reply, of client: Client, registry: Registry, keys: SigningKeys,
        sealer: SealerKind, biometrics: (RegistryRecord?) -> BiometricAvailability
    ) throws(ConversationError) {
        let purposes = Set(facts.purposes)
        let claim = try Claim(facts.owner, of: client, accepting: purposes == [.accept])
        guard !purposes.isEmpty, purposes.count == facts.purposes.count else {
            throw .refused(.challengeRefused("The challenge has no clear purpose."))
        }
        let ways = try SignatureWays(
            facts.authorizations, facts.alternatives.map { $0.map { Int(clamping: $0) } }, for: purposes)
        let record = try Self.record(for: claim.owner, in: registry, vault: facts.vault)
        if let record { try Self.check(record, of: claim.name, keys: keys, sealer: sealer) }
        try claim.check(record, for: purposes)
        guard (record == nil) == purposes.contains(.create) else {
            throw .refused(
                .challengeRefused("The challenge makes a vault that exists, or opens one that does not."))
        }
        if let bind = [Keychain.Purpose.bind, .unbind].first(where: purposes.contains) {
            guard let record, record.canBeBound, (record.binding == nil) == (bind == .bind) else {
                throw .refused(.challengeRefused("The vault cannot be bound or unbound now."))
            }
        }
        if let tie = [Keychain.Purpose.tieToBoot, .releaseFromBoot, .approveBoot].first(where: purposes.contains) {
            guard let record, record.canBeBound, (record.boot == nil) == (tie == .tieToBoot) else {
                throw .refused(
                    .challengeRefused("The vault cannot be tied to the boot, or released from it, now.")
                )
            }
        }
        if !purposes.isDisjoint(with: [.read, .change, .rename]) {
            guard let name = facts.service, let account = facts.account else {
                throw .refused(.challengeRefused("The challenge does not name the item to read."))
            }
            item = (name, account)
        } else {
            item = nil
        }
        newName = try Self.newName(facts, for: purposes)
        self.rotated = (facts.items ?? []).map { ($0.service, $0.account) }
        self.claim = claim
        self.record = record
        self.purposes = purposes
        self.enrolment = try Self.enrolment(facts.enrolment ?? [], for: purposes)
        self.signatures = try ways.choose(ways.hasBiometric ? biometrics(record) : .available)
        guard rotated.isEmpty || purposes == [.rotate], rotated.count <= PromptLimits.items,
            purposes != [.rotate] || Self.isEach(signatures, of: rotated.count)
        else { throw .refused(.challengeRefused("The challenge reads more items than it names.")) }
        let opens = signatures.contains { $0.kind == .unlock }
        self.needsPassword = opens && (purposes == [.bind] || record?.binding != nil)
        self.services = ProofService.needed(for: signatures.map(\.kind), withPassword: needsPassword)
        self.reason = facts.reason
        self.lastLock = facts.lastLock
    }

    /// Whether a person has to be asked. Root is not asked for a service vault, which has nobody to ask.
    var needsPerson: Bool { purposes == [.accept] ? !(record?.isService ?? false) : claim.right != .root }

    /// The person to ask. If root accepts a person's vault, this is the vault's owner; otherwise the client's user.
    func person(_ client: Client) throws(ConversationError) -> Account {
        guard purposes == [.accept], case .user(let uid) = claim.owner, uid != client.account.uid else {
            return client.account
        }
        let account: Account?
        do throws(SystemError) { account = try Account.withUID(uid) } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
        guard let account else { throw .refused(.challengeRefused("The challenge is for another owner's vault.")) }
        return account
    }

    /// Whether the signatures are no more than this many items can need: each kind of reading once for each item, and one unlock.
    private static func isEach(_ signatures: [SignatureWays.Signature], of count: Int) -> Bool {
        AuthorizationKind.allCases.allSatisfy { kind in
            signatures.count { $0.kind == kind } <= (kind == .unlock ? 1 : count)
        }
    }

    private static func newName(
        _ facts: BrokerInterface.Describe.Reply, for purposes: Set<Keychain.Purpose>
    ) throws(ConversationError) -> (service: String, account: String)? {
        guard purposes.contains(.rename) else { return nil }
        guard let name = facts.newService, let account = facts.newAccount else {
            throw .refused(.challengeRefused("The challenge does not give the item's new name."))
        }
        return (name, account)
    }

    private static func enrolment(
        _ names: [String], for purposes: Set<Keychain.Purpose>
    ) throws(ConversationError) -> [AuthorizationKind] {
        let kinds = names.compactMap(AuthorizationKind.init(rawValue:)).filter(\.isBiometric)
        guard kinds.count == names.count, Set(kinds).count == kinds.count,
            kinds.isEmpty != (purposes == [.enrolment])
        else { throw .refused(.challengeRefused("The challenge does not say which fingers to bind an item to.")) }
        return kinds
    }

    private static func record(
        for owner: Owner, in registry: Registry, vault: String?
    ) throws(ConversationError) -> RegistryRecord? {
        let record: RegistryRecord?
        do { record = try registry.record(for: owner) } catch {
            throw .refused(.notCompleted("The registry cannot be used: \(error).", kind: "damaged"))
        }
        guard record?.vault.hex == vault else {
            throw .refused(.challengeRefused("The challenge is not for the registered vault."))
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
                    "This vault was made for \(PromptText.quoted(record.ownerName, limit: 64)); "
                        + "its number now belongs to another account or group."))
        }
        guard try keys.key(for: record) != nil else {
            throw .refused(
                .notCompleted(
                    "This vault was made with another signing key; restore signing-key.pem and former-keys in the registry folder.",
                    kind: "damaged"))
        }
        guard record.sealer == sealer else {
            throw .refused(
                .misconfigured(
                    "This vault is sealed by \(record.sealer.rawValue), but the configuration says \(sealer.rawValue).")
            )
        }
    }
}
