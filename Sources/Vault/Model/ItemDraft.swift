import Cryptography
import Item

/// An item to be stored.
public struct ItemDraft: Sendable {
    /// What to do if an item of this name exists, or does not.
    public enum Mode: Sendable {
        case replace
        case new
        case existing
    }

    public var service: String
    public var account: String
    public var kind: ItemKind
    public var value: SecretBytes
    /// The field that gets the value.
    package var field = FieldName.secret
    /// nil: an existing field keeps its kind, and a new one has what is usual for its name.
    package var fieldKind: FieldKind?
    /// An existing item keeps what this does not name.
    public var access: PartialAccess
    /// What the item will have, as its caller has judged it (``OpenVault/access(after:)``). If another access control
    /// comes of it meanwhile, nothing is stored. nil: any will do.
    public var judgedAccess: AccessControl?
    /// nil: an existing item keeps its label. Empty: no label. Comment and attributes work the same way.
    public var label: String?
    public var comment: String?
    public var attributes: [String: String]?
    /// Milliseconds since 1970-01-01 UTC. 0: never. nil: an existing item keeps its expiry.
    public var expires: UInt64?
    /// Given only with the requirement `applicationPassword`, otherwise nil.
    public var applicationPassword: StretchedPassword?

    public init(
        service: String, account: String, kind: ItemKind = .genericPassword, value: SecretBytes,
        access: PartialAccess, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expires: UInt64? = nil,
        applicationPassword: StretchedPassword? = nil
    ) {
        self.service = service
        self.account = account
        self.kind = kind
        self.value = value
        self.access = access
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.expires = expires
        self.applicationPassword = applicationPassword
    }

    /// A draft that names the whole access control.
    public init(
        service: String, account: String, kind: ItemKind = .genericPassword, value: SecretBytes,
        access: AccessControl = .whenUnlocked, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expires: UInt64? = nil,
        applicationPassword: StretchedPassword? = nil
    ) {
        self.init(
            service: service, account: account, kind: kind, value: value, access: PartialAccess(access), label: label,
            comment: comment, attributes: attributes, expires: expires, applicationPassword: applicationPassword)
    }

    /// What the item has once this is stored.
    ///
    /// - Parameter present: what it has now; nil if it does not exist yet.
    /// - Throws: `.invalidArgument` if that contradicts itself.
    func access(over present: AccessControl?) throws(VaultError) -> AccessControl {
        // A new setting is not "when unlocked", as other new items are.
        let before = kind == .setting ? present ?? .setting : present
        let chosen: AccessControl
        do throws(AccessControlError) { chosen = try access.applied(to: before) } catch {
            throw VaultError(.invalidArgument, error.description)
        }
        try SettingRule.check(chosen, of: kind)
        return chosen
    }

    /// The metadata of the item once this is stored, but for its fields. What is not named stays, and the access
    /// control is not part of it.
    ///
    /// - Parameters:
    ///   - old: the item's, expired or not; nil if it does not exist yet.
    ///   - now: milliseconds since 1970-01-01 UTC.
    func metadata(over old: Metadata?, at now: UInt64) -> Metadata {
        var metadata = Metadata(
            service: service, account: account, kind: kind, label: old?.label, comment: old?.comment,
            attributes: attributes ?? old?.attributes ?? [:], created: old?.created ?? now, modified: now,
            valueSet: now, expires: old.flatMap { $0.isExpired(at: now) ? nil : $0.expires })
        MetadataChanges(label: label, comment: comment, expires: expires).applyTexts(to: &metadata)
        return metadata
    }
}

extension ItemLimits {
    static func check(_ draft: ItemDraft) throws(VaultError) {
        try limited { () throws(ItemLimitError) in
            try check(valueOf: draft.value.count, of: draft.kind)
            try check(service: draft.service, account: draft.account)
            try check(label: draft.label, comment: draft.comment, attributes: draft.attributes ?? [:])
        }
    }

    static func check(name service: String, _ account: String) throws(VaultError) {
        try limited { () throws(ItemLimitError) in try check(service: service, account: account) }
    }

    static func check(_ metadata: Metadata) throws(VaultError) {
        try limited { () throws(ItemLimitError) in
            try check(label: metadata.label, comment: metadata.comment, attributes: metadata.attributes)
        }
    }

    fileprivate static func limited(_ check: () throws(ItemLimitError) -> Void) throws(VaultError) {
        do throws(ItemLimitError) { try check() } catch { throw VaultError(error) }
    }
}

/// An application password after scrypt: one part of a slot's key. Stretching takes some tenths of a second and 128
/// MiB, so it is done apart from reading and storing.
public struct StretchedPassword: Sendable {
    /// The salt of the one slot that the key is for.
    let salt: [UInt8]
    let key: SecretBytes

    /// The length of the stretched key in bytes.
    public static let keyCount = 32

    /// Stretches a password for storing an item, with a fresh salt. Blocks.
    ///
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `ItemLimits.applicationPassword`.
    public init(_ password: SecretBytes) throws(VaultError) {
        let salt: [UInt8]
        do throws(CryptographyError) { salt = try Random.bytes(Slot.saltCount) } catch { throw VaultError(error) }
        try self.init(password, salt: salt)
    }

    /// Stretches a password for reading an item. Blocks.
    ///
    /// - Parameter salt: the read plan's.
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `ItemLimits.applicationPassword`.
    public init(_ password: SecretBytes, salt: [UInt8]) throws(VaultError) {
        try ItemLimits.limited { () throws(ItemLimitError) in
            try ItemLimits.check(applicationPasswordOf: password.count)
        }
        self.salt = salt
        do throws(CryptographyError) {
            key = try Scrypt.derive(password: password, salt: salt, cost: .standard, count: Self.keyCount)
        } catch { throw VaultError(error) }
    }
}
