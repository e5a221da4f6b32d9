import Authorization
import Cryptography
import Item

/// A change as a record carries it: with the sealed value, if it gives a field one.
package struct CarriedChange: Hashable, Sendable {
    package let change: PartChange
    package let value: CarriedValue?

    /// - Throws: `.place` unless the value is exactly what the change names, or there is none; `.hash`.
    package init(_ change: PartChange, _ value: CarriedValue? = nil) throws(CircleFormError) {
        if case .value(let field)? = change.content {
            guard let value, try CircleDigest.of(value.sealed) == field.digest else { throw .place }
        } else {
            guard value == nil else { throw .place }
        }
        (self.change, self.value) = (change, value)
    }

    package var bytes: [UInt8] {
        LengthPrefixed.encode(change.bytes) + (value.map { [1] + LengthPrefixed.encode($0.bytes) } ?? [0])
    }

    private init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        let change = try PartChange(decoding: try rest.prefixed(upTo: CircleLimits.body))
        switch try rest.integer(UInt8.self) {
        case 0: try self.init(change)
        case 1: try self.init(change, CarriedValue(decoding: try rest.prefixed(upTo: CircleLimits.body)))
        default: throw .range
        }
    }

    /// Reads one change.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try self.init(from: &rest)
        try rest.end()
    }

    /// The content of a record of changes: at least one, in the order in which they were made.
    package static func list(_ content: [UInt8]) throws(CircleFormError) -> [CarriedChange] {
        var rest = content[...]
        let changes = try rest.elements(upTo: CircleLimits.changes) { (rest) throws(CircleFormError) in
            try CarriedChange(from: &rest)
        }
        try rest.end()
        guard !changes.isEmpty else { throw .length }
        return changes
    }

    /// - Throws: `.length` for none, for too many, and for more than a body holds.
    package static func content(_ changes: [CarriedChange]) throws(CircleFormError) -> [UInt8] {
        guard (1...CircleLimits.changes).contains(changes.count) else { throw .length }
        let content = [UInt8](list: changes, \.bytes)
        guard content.count < CircleLimits.body else { throw .length }
        return content
    }
}

/// A field's sealed value, and its item key for the members (docs/sync-format.md, “Values”).
package struct CarriedValue: Hashable, Sendable {
    package let kind: FieldKind
    /// The id that the value was sealed under. It can be another one of its item's.
    package let item: SharedItemID
    /// HMAC of the value's context under the item key (docs/vault-format.md, “field”).
    package let commitment: [UInt8]
    /// At least one. A reader takes the first that it can use.
    package let slots: [ValueSlot]
    /// As the vault's file has it.
    package let sealed: [UInt8]

    /// - Throws: `.length`.
    package init(
        kind: FieldKind, item: SharedItemID, commitment: [UInt8], slots: [ValueSlot], sealed: [UInt8]
    ) throws(CircleFormError) {
        guard commitment.count == HMACSHA256.count, (1...CircleLimits.slots).contains(slots.count) else {
            throw .length
        }
        (self.kind, self.item, self.commitment) = (kind, item, commitment)
        (self.slots, self.sealed) = (slots, sealed)
    }

    /// The same with other slots.
    ///
    /// - Throws: `.length`.
    package func with(_ slots: [ValueSlot]) throws(CircleFormError) -> CarriedValue {
        try CarriedValue(kind: kind, item: item, commitment: commitment, slots: slots, sealed: sealed)
    }

    var bytes: [UInt8] {
        LengthPrefixed.encode(Array(kind.rawValue.utf8)) + item.bytes + commitment
            + ReleasedSlots.bytes(of: slots) + LengthPrefixed.encode(sealed)
    }

    init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        guard let kind = FieldKind(rawValue: try rest.text(upTo: CircleLimits.name)) else { throw .kind }
        guard let item = SharedItemID(bytes: try rest.take(SharedItemID.count)) else { throw .length }
        let commitment = try rest.take(HMACSHA256.count)
        let slots = try ReleasedSlots.slots(from: &rest)
        let sealed = try rest.prefixed(upTo: CircleLimits.body)
        try rest.end()
        try self.init(kind: kind, item: item, commitment: commitment, slots: slots, sealed: sealed)
    }
}
