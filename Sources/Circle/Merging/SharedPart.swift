import Authorization
import Item

/// A part of an item that is changed, and merged, by itself (docs/vault-format.md, "stamps").
package enum SharedPart: Hashable, Sendable {
    case name, access, label, comment, expiry, bin
    case attribute([UInt8])
    case field(FieldName)

    package var isField: Bool {
        if case .field = self { true } else { false }
    }

    /// The bytes that the vault's stamps have for it. They also give the order of parts.
    package var bytes: [UInt8] { [number] + LengthPrefixed.encode(ownName) }

    /// Whether the bytes of one are before those of the other.
    func precedes(_ other: SharedPart) -> Bool {
        guard number == other.number else { return number < other.number }
        let (one, two) = (ownName, other.ownName)
        // A name's length is before its bytes.
        return one.count == two.count ? one.lexicographicallyPrecedes(two) : one.count < two.count
    }

    private var number: UInt8 {
        switch self {
        case .name: 1
        case .access: 2
        case .label: 3
        case .comment: 4
        case .expiry: 5
        case .bin: 6
        case .attribute: 7
        case .field: 8
        }
    }

    /// Of an attribute or a field. Other parts have none.
    private var ownName: [UInt8] {
        switch self {
        case .attribute(let name): name
        case .field(let name): name.bytes
        default: []
        }
    }

    /// Reads the bytes of one part.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try self.init(from: &rest)
        try rest.end()
    }

    private static let plain: [SharedPart] = [.name, .access, .label, .comment, .expiry, .bin]

    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        let number = Int(try rest.integer(UInt8.self))
        let name = try rest.prefixed(upTo: ItemLimits.attribute)
        switch number {
        case 1...Self.plain.count:
            guard name.isEmpty else { throw .form }
            self = Self.plain[number - 1]
        case 7:
            guard !name.isEmpty, String(validating: name, as: UTF8.self) != nil else { throw .form }
            self = .attribute(name)
        case 8:
            guard let text = String(validating: name, as: UTF8.self), let field = FieldName(text) else { throw .form }
            self = .field(field)
        default: throw .kind
        }
    }
}

/// What a change gives a part.
package enum PartContent: Hashable, Sendable {
    case name(ItemName)
    case access(AccessControl)
    /// A label, a comment or an attribute's value, in UTF-8.
    case text([UInt8])
    /// Milliseconds since 1970-01-01 UTC.
    case expiry(UInt64)
    case bin(BinRecord)
    case value(SealedField)

    func fits(_ part: SharedPart) -> Bool {
        switch (self, part) {
        case (.name, .name), (.access, .access), (.expiry, .expiry), (.bin, .bin), (.value, .field): true
        case (.text, .label), (.text, .comment), (.text, .attribute): true
        default: false
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .name(let name): [1] + name.sharedBytes
        case .access(let access): [2] + access.encoded
        case .text(let text): [3] + LengthPrefixed.encode(text)
        case .expiry(let time): [4] + BigEndian.bytes(time)
        case .bin(let record):
            [5] + BigEndian.bytes(record.days) + BigEndian.bytes(UInt32(clamping: record.values.count))
                + record.values.flatMap(\.bytes)
        case .value(let value): [6] + value.bytes
        }
    }

    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        switch try rest.integer(UInt8.self) {
        case 1: self = .name(try ItemName(from: &rest))
        case 2: self = .access(try AccessControl(from: &rest))
        case 3:
            let text = try rest.prefixed(upTo: ItemLimits.attribute)
            guard String(validating: text, as: UTF8.self) != nil else { throw .form }
            self = .text(text)
        case 4: self = .expiry(try rest.integer())
        case 5:
            let days = try rest.integer(UInt16.self)
            let values = try rest.elements(upTo: PartChange.mostReplaced) { (rest) throws(CircleFormError) in
                try RevisionName(from: &rest)
            }
            let record = BinRecord(days: days, values: values)
            guard record.values == values else { throw .order }
            self = .bin(record)
        case 6: self = .value(try SealedField(from: &rest))
        default: throw .kind
        }
    }
}

/// An item's move to the bin.
package struct BinRecord: Hashable, Sendable {
    /// After how many days each machine deletes the item for good, by its own clock.
    package let days: UInt16
    /// The field revisions that the writer had, sorted. Any other one keeps the item out of the bin.
    package let values: [RevisionName]

    package init(days: UInt16, values: [RevisionName]) {
        self.days = days
        self.values = values.sorted()
    }
}

/// What the rules need to know of a field's sealed value. The sealed value itself never matters to them.
package struct SealedField: Hashable, Sendable {
    /// The random revision id of the sealed value (docs/vault-format.md, "field").
    package let revision: [UInt8]
    /// The SHA-256 of the sealed value.
    package let digest: [UInt8]
    /// What it was first sealed under.
    package let access: AccessControl

    /// - Returns: nil unless the revision has 16 bytes and the digest 32.
    package init?(revision: [UInt8], digest: [UInt8], access: AccessControl) {
        guard revision.count == 16, digest.count == 32 else { return nil }
        self.revision = revision
        self.digest = digest
        self.access = access
    }

    fileprivate var bytes: [UInt8] { revision + digest + access.encoded }

    fileprivate init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        let (revision, digest) = (try rest.take(16), try rest.take(32))
        guard let field = SealedField(revision: revision, digest: digest, access: try AccessControl(from: &rest)) else {
            throw .length
        }
        self = field
    }
}

extension AccessControl {
    fileprivate init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        let bytes = try rest.take(Self.encodedCount)
        do throws(AccessControlError) { try self.init(decoding: bytes) } catch { throw .kind }
    }
}

extension ItemName {
    fileprivate init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        guard let kind = ItemKind(rawValue: try rest.text(upTo: ItemLimits.fieldName)) else { throw .kind }
        self.init(
            service: try rest.text(upTo: ItemLimits.name), account: try rest.text(upTo: ItemLimits.name),
            itemClass: kind)
        guard !service.isEmpty else { throw .length }
    }

    var sharedBytes: [UInt8] {
        LengthPrefixed.encode(Array(itemClass.rawValue.utf8)) + LengthPrefixed.encode(Array(service.utf8))
            + LengthPrefixed.encode(Array(account.utf8))
    }
}
