import Coffer
import FoundationEssentials

/// A value, and what reading it takes. Times are milliseconds since 1970-01-01 UTC.
struct StoredValue: Sendable {
    var bytes: [UInt8]
    var access: AccessControl
    var applicationPassword: [UInt8]?
    /// The fingers that the value is bound to; nil if it is bound to none.
    var fingers: Int?
    var version: Int
    var set: Int64
    var expires: Int64?

    func isExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }
}

/// An item of a vault in memory.
struct MemoryItem: Sendable {
    /// A value that the item had before.
    struct Former: Sendable {
        var value: StoredValue
        var replaced: Int64

        func isKept(at now: Int64) -> Bool {
            replaced.addingReportingOverflow(MemoryLimits.formerTime).partialValue > now && !value.isExpired(at: now)
        }
    }

    let id: String
    /// Names this state of the item.
    var revision = ""
    var name: ItemName
    var label: String?
    var comment: String?
    var attributes: [String: String]
    let created: Int64
    var modified: Int64
    var value: StoredValue
    /// The oldest first.
    var former: [Former] = []

    var summary: ItemAttributes {
        ItemAttributes(
            id: id, name: name, label: label, comment: comment, attributes: attributes, access: value.access,
            created: Date(milliseconds: created), modified: Date(milliseconds: modified),
            expires: value.expires.map(Date.init(milliseconds:)), version: value.version, revision: revision)
    }

    /// The item with its value, or with a former one.
    func item(_ value: StoredValue) -> Item { Item(value: value.bytes, attributes: summary) }

    /// The present value, or the former one of that version if it is still kept.
    func value(_ version: Int?, at now: Int64) throws(KeychainError) -> StoredValue {
        guard !value.isExpired(at: now) else { throw expired }
        guard let version, version != value.version else { return value }
        guard let found = former.first(where: { $0.value.version == version && $0.isKept(at: now) }) else {
            throw KeychainError(.notFound, "\(name) has no former value of version \(version), or no longer")
        }
        return found.value
    }

    var expired: KeychainError {
        KeychainError(.notFound, "\(name): the item has expired", advice: "set it again")
    }

    /// Puts another value in the place of the present one, which becomes a former one.
    mutating func replace(by new: StoredValue, restored: Int? = nil, at now: Int64) {
        if let restored { former.removeAll { $0.value.version == restored } }
        former.append(Former(value: value, replaced: now))
        if value.isExpired(at: now) { former = [] }
        value = new
        keepFormer(at: now)
    }

    /// Gives the same value to others, or to fewer.
    mutating func reseal(_ new: StoredValue, at now: Int64) {
        // Nobody can tell whether the application password is the same as before.
        if new.access.requirements.contains(.applicationPassword) { former = [] }
        value = new
        keepFormer(at: now)
    }

    private mutating func keepFormer(at now: Int64) {
        let present = value.access
        former = former.filter { $0.isKept(at: now) && !present.tightens($0.value.access) }
            .suffix(MemoryLimits.formerValues)
    }
}
