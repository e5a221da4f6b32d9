import Authorization
import Cryptography

/// Ways to the item key of a value that was given out before: for devices that it had none for
/// (docs/sync-format.md, “Bodies”).
package struct ReleasedSlots: Hashable, Sendable {
    /// The change that gave the value.
    package let change: RevisionName
    /// At least one.
    package let slots: [ValueSlot]

    /// - Throws: `.length` for none and for too many.
    package init(of change: RevisionName, _ slots: [ValueSlot]) throws(CircleFormError) {
        guard (1...CircleLimits.slots).contains(slots.count) else { throw .length }
        (self.change, self.slots) = (change, slots)
    }

    package var bytes: [UInt8] { change.bytes + Self.bytes(of: slots) }

    /// A list of slots.
    package static func bytes(of slots: [ValueSlot]) -> [UInt8] {
        [UInt8](list: slots) { LengthPrefixed.encode($0.bytes) }
    }

    /// Reads a list of slots.
    package static func slots(decoding bytes: [UInt8]) throws(CircleFormError) -> [ValueSlot] {
        var rest = bytes[...]
        let slots = try slots(from: &rest)
        try rest.end()
        return slots
    }

    static func slots(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) -> [ValueSlot] {
        try rest.elements(upTo: CircleLimits.slots) { (rest) throws(CircleFormError) in
            try ValueSlot(decoding: try rest.prefixed(upTo: CircleLimits.slot))
        }
    }

    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try self.init(from: &rest)
        try rest.end()
    }

    private init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        let change = try RevisionName(from: &rest)
        try self.init(of: change, Self.slots(from: &rest))
    }

    /// The content of a record: at least one.
    static func list(_ content: [UInt8]) throws(CircleFormError) -> [ReleasedSlots] {
        var rest = content[...]
        let all = try rest.elements(upTo: CircleLimits.changes) { (rest) throws(CircleFormError) in
            try ReleasedSlots(from: &rest)
        }
        try rest.end()
        guard !all.isEmpty else { throw .length }
        return all
    }

    /// - Throws: `.length` for none, for too many, and for more than a body holds.
    static func content(_ all: [ReleasedSlots]) throws(CircleFormError) -> [UInt8] {
        guard (1...CircleLimits.changes).contains(all.count) else { throw .length }
        let content = [UInt8](list: all, \.bytes)
        guard content.count < CircleLimits.body else { throw .length }
        return content
    }
}
