import Authorization
import Circle
import Cryptography
import Item

/// When and where a part of an item was changed. Of two changes that do not know of each other, all machines show the
/// one with the larger stamp.
struct Stamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC, but always more than what the change replaces. Below 2⁶³.
    let clock: UInt64
    /// The vault in which the change was made.
    let origin: VaultID

    var encoded: [UInt8] { BigEndian.bytes(clock) + origin.bytes }

    init(clock: UInt64, origin: VaultID) {
        self.clock = min(clock, Self.last)
        self.origin = origin
    }

    init(_ reader: inout ByteReader) throws(VaultError) {
        clock = try reader.integer()
        guard clock <= Self.last, let origin = VaultID(bytes: try reader.bytes(VaultID.count)) else {
            throw .damaged("a stamp is impossible")
        }
        self.origin = origin
    }

    private static let last = UInt64(Int64.max)

    /// The stamp of a change that replaces this one.
    func next(at now: UInt64, in vault: VaultID) -> Stamp {
        // `clock` is below 2⁶³, so one more fits.
        Stamp(clock: max(now, clock + 1), origin: vault)
    }
}

/// A part of an item that is changed, and merged, by itself.
enum ItemPart: Sendable, Hashable {
    case name, access, label, comment, expiry, bin
    case attribute([UInt8])
    case field(FieldName)

    /// The part by which other machines call it.
    init(_ part: SharedPart) {
        self =
            switch part {
            case .name: .name
            case .access: .access
            case .label: .label
            case .comment: .comment
            case .expiry: .expiry
            case .bin: .bin
            case .attribute(let name): .attribute(name)
            case .field(let name): .field(name)
            }
    }

    private static let plain: [ItemPart] = [.name, .access, .label, .comment, .expiry, .bin]

    fileprivate var encoded: [UInt8] {
        switch self {
        case .attribute(let name): [7] + LengthPrefixed.encode(name)
        case .field(let name): [8] + LengthPrefixed.encode(name.bytes)
        default: [UInt8((Self.plain.firstIndex(of: self) ?? 0) + 1)] + LengthPrefixed.encode([[]])
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(VaultError) {
        let kind = Int(try reader.integer(UInt8.self))
        let name = try reader.prefixed()
        switch kind {
        case 1...6 where name.isEmpty: self = Self.plain[kind - 1]
        case 7 where !name.isEmpty: self = .attribute(name)
        default:
            guard kind == 8, let text = String(validating: name, as: UTF8.self), let field = FieldName(text) else {
                throw .damaged("an item has an unknown part")
            }
            self = .field(field)
        }
    }
}

/// The stamps of an item's parts (docs/vault-format.md, "stamps").
struct ItemStamps: Sendable, Equatable {
    /// The stamp of each part that has none of its own.
    let base: Stamp
    private(set) var own: [ItemPart: Stamp] = [:]

    /// - Parameter base: of an item that is new.
    init(base: Stamp) { self.base = base }

    func stamp(of part: ItemPart) -> Stamp { own[part] ?? base }

    /// Notes that a part was changed.
    mutating func note(_ part: ItemPart, at now: UInt64, in vault: VaultID) {
        own[part] = stamp(of: part).next(at: now, in: vault)
    }

    /// Notes which parts differ between two states of the item.
    mutating func note(from old: Metadata, to new: Metadata, at now: UInt64, in vault: VaultID) {
        func note(_ part: ItemPart, if isChanged: Bool) {
            if isChanged { self.note(part, at: now, in: vault) }
        }
        note(.name, if: !old.service.isSameText(as: new.service) || !old.account.isSameText(as: new.account))
        note(.label, if: old.label.map { Array($0.utf8) } != new.label.map { Array($0.utf8) })
        note(.comment, if: old.comment.map { Array($0.utf8) } != new.comment.map { Array($0.utf8) })
        note(.expiry, if: old.expires != new.expires)
        note(.bin, if: old.deleted != new.deleted)
        let (before, after) = (old.attributes.inBytes, new.attributes.inBytes)
        for name in Set(before.keys).union(after.keys) { note(.attribute(name), if: before[name] != after[name]) }
        // Nobody else knows of an attribute or a field that is gone, unless its vault shares items.
        own = own.filter { part, _ in
            switch part {
            case .attribute(let bytes): new.attributes.keys.contains { $0.utf8.elementsEqual(bytes) }
            case .field(let name): new.field(name) != nil
            default: true
            }
        }
    }

    var encoded: [UInt8] {
        let parts = own.map { (bytes: $0.key.encoded, stamp: $0.value) }.sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        return base.encoded + BigEndian.bytes(UInt16(parts.count))
            // No stamp replaces another machine's yet.
            + parts.flatMap { $0.bytes + $0.stamp.encoded + [0] }
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an item's stamps")
        base = try Stamp(&reader)
        for _ in 0..<(try reader.integer(UInt16.self)) {
            let (part, stamp) = (try ItemPart(&reader), try Stamp(&reader))
            guard try reader.integer(UInt8.self) == 0, own.updateValue(stamp, forKey: part) == nil else {
                throw .damaged("an item's part has two stamps")
            }
        }
        try reader.end()
        guard encoded == bytes else { throw .damaged("an item's stamps are out of order") }
    }
}
