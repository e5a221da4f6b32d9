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
    package var bytes: [UInt8] {
        switch self {
        case .name: [1] + LengthPrefixed.encode([UInt8]())
        case .access: [2] + LengthPrefixed.encode([UInt8]())
        case .label: [3] + LengthPrefixed.encode([UInt8]())
        case .comment: [4] + LengthPrefixed.encode([UInt8]())
        case .expiry: [5] + LengthPrefixed.encode([UInt8]())
        case .bin: [6] + LengthPrefixed.encode([UInt8]())
        case .attribute(let name): [7] + LengthPrefixed.encode(name)
        case .field(let name): [8] + LengthPrefixed.encode(name.bytes)
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

    var bytes: [UInt8] {
        switch self {
        case .name(let name): [1] + name.sharedBytes
        case .access(let access): [2] + access.sharedBytes
        case .text(let text): [3] + LengthPrefixed.encode(text)
        case .expiry(let time): [4] + BigEndian.bytes(time)
        case .bin(let record):
            [5] + BigEndian.bytes(record.days) + BigEndian.bytes(UInt32(clamping: record.values.count))
                + record.values.flatMap(\.bytes)
        case .value(let value): [6] + value.bytes
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

    fileprivate var bytes: [UInt8] { revision + digest + access.sharedBytes }
}

extension ItemName {
    var sharedBytes: [UInt8] {
        LengthPrefixed.encode(Array(itemClass.rawValue.utf8)) + LengthPrefixed.encode(Array(service.utf8))
            + LengthPrefixed.encode(Array(account.utf8))
    }
}
