import Foundation
import Item
import JSON
import Testing

@testable import Vault

/// The reader of metadata beside a decoder of another maker.
struct MetadataReaderTests {
    private static let texts = [
        "", "a", "service", "with \"quotes\" and \\", "a/b//c", "line\nbreak\r\n\ttab", "\u{0}\u{1}\u{1F}\u{7F}", "ä",
        "é", "e\u{301}",
        "名前", "😀", "👩‍👩‍👧", "\u{FEFF}", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", String(repeating: "x", count: 300), "null",
        "{}",
    ]
    private static let numbers: [UInt64] = [0, 1, 9, 10, 1_800_000_000_000, .max - 1, .max]

    private static func random(_ generator: inout some RandomNumberGenerator) -> Metadata {
        func text() -> String { texts.randomElement(using: &generator) ?? "" }
        func number() -> UInt64 { numbers.randomElement(using: &generator) ?? 0 }
        var attributes: [String: String] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &generator) { attributes[text()] = text() }
        return Metadata(
            service: text(), account: text(),
            kind: ItemKind.allCases.randomElement(using: &generator) ?? .genericPassword,
            label: Bool.random(using: &generator) ? text() : nil,
            comment: Bool.random(using: &generator) ? text() : nil,
            attributes: attributes, created: number(), modified: number(), valueSet: number(),
            expires: Bool.random(using: &generator) ? number() : nil,
            biometrySet: Bool.random(using: &generator) ? text() : nil)
    }

    private static func encoded(_ metadata: Metadata) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(metadata))
    }

    private static func read(_ text: [UInt8]) -> Metadata? {
        // `try?`: nil for what the reader refuses.
        try? JSONReader.read(Metadata.self, from: text)
    }

    /// All that Coffer writes is read by the reader itself, and comes out the same, also byte for byte.
    @Test func whatIsWrittenIsRead() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let metadata = Self.random(&generator)
            let text = try Self.encoded(metadata)
            let found = try #require(Self.read(text), "\(String(decoding: text, as: UTF8.self))")
            #expect(found == metadata)
            #expect(found.service.utf8.elementsEqual(metadata.service.utf8))
            #expect(
                found.attributes.values.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
                    == metadata.attributes.values.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(try Self.encoded(found) == text)
            #expect(try Metadata(text: [1, 2, 3] + text, from: 3) == metadata)
            // The vault writes it without Foundation.
            let written = JSONWriter.bytes(of: metadata)
            #expect(Self.read(written) == metadata)
            #expect(try JSONDecoder().decode(Metadata.self, from: Data(written)) == metadata)
            #expect(try Self.encoded(try Metadata(text: written, from: 0)) == text)
        }
    }

    @Test func aFieldIsWrittenAndReadWithItsFingers() throws {
        let name: FieldName = "pin"
        let bound = ItemField(name, .text, set: 7, biometrySet: "ab")
        let text = #"{"biometrySet":"ab","kind":"text","name":"pin","set":7}"#
        #expect(String(decoding: JSONWriter.bytes(of: bound), as: UTF8.self) == text)
        #expect(try JSONReader.read(ItemField.self, from: Array(text.utf8)) == bound)
        let unbound = ItemField(name, .text, set: 7)
        let short = JSONWriter.bytes(of: unbound)
        #expect(String(decoding: short, as: UTF8.self) == #"{"kind":"text","name":"pin","set":7}"#)
        #expect(try JSONReader.read(ItemField.self, from: short) == unbound)
    }

    /// The members stand in the order of their names, so that the same metadata is the same text.
    @Test func theTextOfEverything() throws {
        let metadata = Metadata(
            service: "s", account: "a", kind: .key, label: "l", comment: "c", attributes: ["k": "v"], created: 1,
            modified: 2, secretSet: 3, expires: 4, biometrySet: "ab", otherFields: [ItemField("pin", .text, set: 5)],
            deleted: 6)
        let members = [
            #""account":"a""#, #""attributes":{"k":"v"}"#, #""biometrySet":"ab""#, #""comment":"c""#, #""created":1"#,
            #""deleted":6"#, #""expires":4"#, #""fields":[{"kind":"text","name":"pin","set":5}]"#, #""kind":"key""#,
            #""label":"l""#, #""modified":2"#, #""service":"s""#, #""valueSet":3"#,
        ]
        let text = "{" + members.joined(separator: ",") + "}"
        #expect(String(decoding: JSONWriter.bytes(of: metadata), as: UTF8.self) == text)
        #expect(try Metadata(text: Array(text.utf8), from: 0) == metadata)
    }

    /// A generic item has no kind in its text, so none is the same item in two spellings.
    @Test(arguments: [("key", nil), ("generic", .damaged), ("odd", .damaged)] as [(String, VaultError.Code?)])
    func aKindThatIsWritten(kind: String, outcome: VaultError.Code?) {
        let text =
            #"{"account":"a","attributes":{},"created":1,"kind":"\#(kind)","modified":2,"service":"s","valueSet":3}"#
        #expect(vaultError { _ = try Metadata(text: Array(text.utf8), from: 0) } == outcome)
    }

    /// The decoder accepts what the reader accepts, and reads the same from it.
    @Test func aChangedTextIsReadAsTheDecoderReadsIt() throws {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "\"", "\\", "{", "}", ":", ",", "0", "-", ".", "e", " ", "null", "\\u0041", "\\ud83d\\ude00", "\\ud83d",
            "[", "]", "true",
            "\"kind\":\"generic\",", "\"label\":null,", "\"x\":1,", "\"service\":\"again\",", "\u{FEFF}", "1e3", "00",
        ]
        var (read, declined, refused) = (0, 0, 0)
        for _ in 0..<20_000 {
            var text = try Self.encoded(Self.random(&generator))
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let place = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: text.remove(at: place)
                case 2: text.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: place)
                default: text.insert(contentsOf: text[place..<min(text.count, place + 8)], at: place)
                }
                if text.isEmpty { break }
            }
            // `try?`: nil for what the decoder refuses.
            let decoded = try? JSONDecoder().decode(Metadata.self, from: Data(text))
            if let found = Self.read(text) {
                read += 1
                #expect(found == decoded, "\(text)")
            } else if decoded != nil {
                declined += 1
            } else {
                refused += 1
            }
            // What no item has is damage. `try?`: as above.
            let possible = Self.read(text).flatMap { (try? $0.checkFields()) == nil ? nil : $0 }
            #expect((try? Metadata(text: text, from: 0)) == possible, "\(text)")
        }
        #expect(read > 100 && declined > 10 && refused > 100)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "{\"service\":\"s\"}", "{\"a\":{\"b\":{\"c\":1}}}", "{\"service\":\"\\u00e\"}",
        "{\"service\":\"\\ud83d\"}",
        "{\"service\":\"\\",
        // An item without any field.
        #"{"account":"a","attributes":{},"created":1,"modified":2,"service":"s"}"#,
    ])
    func anythingElseIsDamage(text: String) {
        #expect(vaultError { _ = try Metadata(text: Array(text.utf8), from: 0) } == .damaged)
    }
}
