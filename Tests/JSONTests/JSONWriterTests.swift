import Foundation
import Testing

@testable import JSON

@Suite("JSON is written as Foundation writes it")
struct JSONWriterTests {
    private func expected(_ value: some Encodable, _ more: JSONEncoder.OutputFormatting = []) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func text(_ value: some JSONWritable, isPretty: Bool = false) -> String {
        String(decoding: JSONWriter.bytes(of: value, isPretty: isPretty), as: UTF8.self)
    }

    @Test("each character")
    func characters() throws {
        let scalars = (0...0x300).map { UInt32($0) } + [0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF]
        for scalar in scalars.compactMap(Unicode.Scalar.init) {
            let string = "a\(scalar)b"
            #expect(try text([string]) == expected([string]), "\(scalar.value)")
            #expect(try text([string: 1]) == expected([string: 1]), "\(scalar.value)")
        }
    }

    @Test("names in the same order")
    func order() throws {
        let names = ["a", "B", "b", "10", "9", "_", "é", "e\u{301}x", "z", "", " ", "😀", "\u{FFFF}", "aa", "a b", "ß"]
        let members = Dictionary(names.map { ($0, Int64($0.count)) }) { first, _ in first }
        #expect(try text(members) == expected(members))
        let deep = ["x": members, "w": ["k": 1]]
        #expect(try text(deep) == expected(deep))
        #expect(try text(deep, isPretty: true) == expected(deep, .prettyPrinted))
        #expect(
            try text(["a": [1, 2], "b": [3]], isPretty: true) == expected(["a": [1, 2], "b": [3]], .prettyPrinted))
    }

    @Test("numbers at their ends")
    func numbers() throws {
        #expect(try text([Int64.min, -1, 0, .max]) == expected([Int64.min, -1, 0, .max]))
        #expect(try text([UInt64.max]) == expected([UInt64.max]))
    }

    @Test("a buffer that became too small holds nothing any longer")
    func wiped() {
        var writer = JSONWriter(room: 16)
        writer.string("the secret")
        let former = writer.bytes
        writer.string(String(repeating: "more", count: 100))
        #expect(former.allSatisfy { $0 == 0 } && former.count == 12)
        #expect(writer.bytes.starts(with: Array("\"the secret\"".utf8)))
    }
}
