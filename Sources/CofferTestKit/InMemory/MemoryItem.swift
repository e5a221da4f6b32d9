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

/// Names the states of items, in the form of the broker's names.
enum MemoryRevision {
    private static let digits = Set("0123456789abcdefABCDEF".utf8)

    static func random() -> String { UUID().uuidString.filter { $0 != "-" }.lowercased() }

    /// Whether a text can name a state.
    static func isOne(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { digits.contains($0) }
    }
}

/// A field of an item in memory.
struct MemoryField: Sendable {
    let name: FieldName
    let kind: FieldKind
    var value: StoredValue

    /// - Parameter kind: nil for what is usual for the name. The field `secret` is always a secret.
    init(_ name: FieldName, _ kind: FieldKind?, _ value: StoredValue) {
        self.name = name
        self.kind = name == .secret ? .secret : kind ?? FieldKind(usualFor: name)
        self.value = value
    }

    var summary: Field {
        Field(name, kind, setAt: Moment(milliseconds: value.set))
    }
}

/// An item of a vault in memory.
struct MemoryItem: Sendable {
    /// A value that a field had before.
    struct Former: Sendable {
        let name: FieldName
        let kind: FieldKind
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
    /// Counts the values of all fields.
    var version: Int
    /// At least one. `secret` comes first. All have the same access control, password and expiry.
    private(set) var fields: [MemoryField]
    /// The oldest first.
    var former: [Former] = []

    /// Any of the values, for what all have in common.
    var value: StoredValue { fields[0].value }

    init(id: String, name: ItemName, at now: Int64, _ field: MemoryField) {
        self.id = id
        self.name = name
        attributes = [:]
        created = now
        modified = now
        version = field.value.version
        fields = [field]
    }

    var summary: ItemAttributes {
        ItemAttributes(
            id: id, name: name, label: label, comment: comment, attributes: attributes, access: value.access,
            times: ItemTimes(
                created: Moment(milliseconds: created), modified: Moment(milliseconds: modified),
                expires: value.expires.map(Moment.init(milliseconds:))), version: version, revision: revision,
            fields: fields.map(\.summary))
    }

    /// How many fields besides this one there are.
    func others(than name: FieldName) -> Int { fields.count { $0.name != name } }

    /// The value of another field, if that must show that an application password is the item's.
    func witness(beside name: FieldName, at now: Int64) -> StoredValue? {
        guard !value.isExpired(at: now), value.applicationPassword != nil else { return nil }
        return fields.first { $0.name != name }?.value
    }

    /// - Throws: `.notFound`.
    func field(_ name: FieldName) throws(KeychainError) -> MemoryField {
        guard let found = fields.first(where: { $0.name == name }) else {
            let names = fields.map { VisibleText.quoted($0.name.text) }.joined(separator: ", ")
            throw KeychainError(.notFound, "\(self.name): the item has no such field", advice: "it has: \(names)")
        }
        return found
    }

    /// The values of all fields, for a call that takes all of them.
    var values: [(MemoryItem, StoredValue)] { fields.map { (self, $0.value) } }

    /// The item with its value, or with a former one.
    func item(_ value: StoredValue) -> Item { Item(value: value.bytes, attributes: summary) }

    /// The present value of a field, or a former one of that version if it is still kept.
    ///
    /// - Parameter field: nil for the field of the version; without one, for `secret`.
    func value(
        _ version: Int?, of field: FieldName? = nil, at now: Int64
    ) throws(KeychainError) -> (value: StoredValue, field: FieldName) {
        guard !value.isExpired(at: now) else { throw expired }
        guard let version else {
            let found = try self.field(field ?? .secret)
            return (found.value, found.name)
        }
        if let present = fields.first(where: { $0.value.version == version }), field ?? present.name == present.name {
            return (present.value, present.name)
        }
        let found = former.first {
            $0.value.version == version && $0.isKept(at: now) && field ?? $0.name == $0.name
        }
        guard let found else {
            throw KeychainError(.notFound, "\(name) has no former value of version \(version), or no longer")
        }
        return (found.value, found.name)
    }

    var expired: KeychainError {
        KeychainError(.notFound, "\(name): the item has expired", advice: "set it again")
    }

    /// Puts another value in the place of a field's present one, which becomes a former one.
    ///
    /// - Parameter kind: nil: an existing field keeps its own.
    mutating func replace(
        _ name: FieldName, _ kind: FieldKind? = nil, by new: StoredValue, restored: Int? = nil, at now: Int64
    ) {
        if let restored { former.removeAll { $0.value.version == restored } }
        let old = value.isExpired(at: now) ? nil : fields.first { $0.name == name }
        if let old { former.append(Former(name: name, kind: old.kind, value: old.value, replaced: now)) }
        if value.isExpired(at: now) {
            former = []
            fields = []
        }
        version = new.version
        let field = MemoryField(name, kind ?? old?.kind, new)
        if let place = fields.firstIndex(where: { $0.name == name }) {
            fields[place] = field
        } else {
            fields.insert(field, at: name == .secret ? 0 : fields.count)
        }
        // What all have in common.
        for place in fields.indices { fields[place].value.expires = new.expires }
        keepFormer(at: now)
    }

    /// Refuses another access control for one field than the others have. Nobody has read these.
    func checkKept(under access: AccessControl) throws(KeychainError) {
        guard access == value.access else {
            throw KeychainError(
                .invalidArgument, "the item has other fields, so one cannot be set under another access control",
                advice: "change the access control of all with edit")
        }
    }

    /// - Throws: `.notFound` for a field that is not there.
    func check(_ names: [FieldName]) throws(KeychainError) { for name in names { _ = try field(name) } }

    /// Removes fields, whose values become former ones.
    /// - Throws: `.notFound` for a field that is not there, `.invalidArgument` if none would be left.
    mutating func remove(_ names: [FieldName], at now: Int64) throws(KeychainError) {
        for name in Set(names) {
            let field = try field(name)
            former.append(Former(name: name, kind: field.kind, value: field.value, replaced: now))
        }
        let left = fields.filter { !names.contains($0.name) }
        guard !left.isEmpty else {
            throw KeychainError(.invalidArgument, "an item has at least one field", advice: "delete the item")
        }
        fields = left
        version += 1
        former.sort { $0.value.version < $1.value.version }
        keepFormer(at: now)
    }

    /// Seals all values anew. Each has a version of its own.
    mutating func reseal(at now: Int64, _ change: (inout StoredValue) -> Void) {
        for place in fields.indices {
            version += 1
            fields[place].value.version = version
            change(&fields[place].value)
        }
        keepFormer(at: now)
    }

    /// Changes what all values have in common, and seals nothing anew.
    mutating func expire(_ time: Int64?) {
        for place in fields.indices { fields[place].value.expires = time }
    }

    private mutating func keepFormer(at now: Int64) {
        if name.itemClass == .setting { former = [] }
        let present = value.access
        var counts: [FieldName: Int] = [:]
        former = former.reversed().filter {
            guard $0.isKept(at: now), !present.tightens($0.value.access) else { return false }
            counts[$0.name, default: 0] += 1
            return counts[$0.name, default: 0] <= MemoryLimits.formerValues
        }.reversed()
    }
}
