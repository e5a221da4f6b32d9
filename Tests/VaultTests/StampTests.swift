import Authorization
import Item
import Testing

@testable import Vault

/// The bytes of stamps, which the metadata's key seals. So only a fault of Coffer makes wrong ones.
struct StampTests {
    private let base: Stamp

    init() throws { base = Stamp(clock: 5, origin: try .random()) }

    @Test func aClockHas63Bits() throws {
        let last = UInt64(Int64.max)
        #expect(Stamp(clock: .max, origin: base.origin).clock == last)
        var reader = ByteReader(BigEndian.bytes(last) + base.origin.bytes, "a stamp")
        let stamp = try Stamp(&reader)
        #expect(stamp == Stamp(clock: last, origin: base.origin))
        #expect(
            vaultError {
                var reader = ByteReader(BigEndian.bytes(last + 1) + base.origin.bytes, "a stamp")
                _ = try Stamp(&reader)
            } == .damaged)
    }

    /// One part with a stamp of its own: 1 is the name, 2 the access control.
    private func part(_ kind: UInt8, named name: [UInt8] = [], replaced: UInt8 = 0) -> [UInt8] {
        [kind] + LengthPrefixed.encode([name]) + base.encoded + [replaced]
    }

    private func read(_ parts: [UInt8]...) throws -> ItemStamps {
        try ItemStamps(decoding: base.encoded + BigEndian.bytes(UInt16(parts.count)) + parts.flatMap(\.self))
    }

    /// Six parts have no name, and attributes and fields have one.
    @Test func noOtherPartIsRead() throws {
        #expect(base.encoded.count == 8 + VaultID.count)
        let plain: [ItemPart] = [.name, .access, .label, .comment, .expiry, .bin]
        for (place, expected) in plain.enumerated() {
            #expect(try read(part(UInt8(place + 1))).own == [expected: base], "\(expected)")
        }
        for kind in [0, 7, 8, 9, 12, 255] as [UInt8] {
            #expect(vaultError { _ = try read(part(kind)) } == .damaged, "\(kind)")
        }
        let name = Array("pin".utf8)
        for kind in [0, 1, 6, 9] as [UInt8] {
            #expect(vaultError { _ = try read(part(kind, named: name)) } == .damaged, "\(kind)")
        }
        #expect(try read(part(7, named: name)).own == [.attribute(name): base])
        #expect(try read(part(8, named: name)).own == [.field("pin"): base])
    }

    @Test func eachPartHasOneStampInItsPlace() throws {
        let stamps = try read(part(1), part(2))
        #expect(stamps.own == [.name: base, .access: base])
        #expect(try ItemStamps(decoding: stamps.encoded) == stamps)
        #expect(vaultError { _ = try read(part(1), part(1)) } == .damaged)
        #expect(vaultError { _ = try read(part(2), part(1)) } == .damaged)
        #expect(vaultError { _ = try read(part(1, replaced: 1)) } == .damaged)
        #expect(vaultError { _ = try read(part(1) + [0]) } == .damaged)
    }

    /// What differs between two states has a stamp of its own afterwards, and nothing else has.
    @Test func eachChangedPartIsNoted() throws {
        let old = Metadata(
            service: "s", account: "a", label: "l", comment: "c", attributes: ["x": "1", "y": "1"], created: 1,
            modified: 1, valueSet: 1, expires: 9)
        func noted(_ change: (inout Metadata) -> Void) -> Set<ItemPart> {
            var (new, stamps) = (old, ItemStamps(base: base))
            change(&new)
            stamps.note(from: old, to: new, at: 7, in: base.origin)
            return Set(stamps.own.keys)
        }
        #expect(noted { $0.modified = 5 }.isEmpty)
        #expect(noted { $0.label = "other" } == [.label])
        #expect(noted { $0.comment = nil } == [.comment])
        #expect(noted { $0.expires = 10 } == [.expiry])
        #expect(noted { $0.deleted = 6 } == [.bin])
        #expect(noted { $0.attributes["x"] = "2" } == [.attribute(Array("x".utf8))])
        // Of one that is gone there is nothing to stamp.
        #expect(noted { $0.attributes["x"] = nil }.isEmpty)
        for name in [("t", "a"), ("s", "b")] {
            #expect(noted { $0 = $0.renamed(name.0, name.1, at: 7) } == [.name])
        }
    }

    /// Unicode calls two spellings of a text equal. Other machines compare bytes, so it was changed.
    @Test func anotherSpellingIsNoted() {
        func metadata(_ text: String) -> Metadata {
            Metadata(
                service: "s", account: "a", label: text, comment: text, attributes: ["x": text, text: "1"], created: 1,
                modified: 1, valueSet: 1)
        }
        let other = "cafe\u{301}"
        var stamps = ItemStamps(base: base)
        stamps.note(from: metadata("caf\u{e9}"), to: metadata(other), at: 7, in: base.origin)
        let expected: Set<ItemPart> = [
            .label, .comment, .attribute(Array("x".utf8)), .attribute(Array(other.utf8)),
        ]
        #expect(Set(stamps.own.keys) == expected)
    }
}
