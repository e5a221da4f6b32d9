import Foundation
import JSON
import Testing

@Suite("JSON is read as RFC 8259 says, or not at all")
struct JSONReaderTests {
    private static let accepted = [
        "0", "-0", "1", "-1", "123", "0.5", "-0.5", "1e3", "1E3", "1e+3", "1e-3", "0e0", "0.0e-0", "1.25e10",
        "\"\"", "\" \"", #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\uD83D\uDE00""#, "\"\u{7F}\u{2028}\u{2029}\"",
        "\"\u{10FFFF}\"", #""\uFFFF""#, #""\uDBFF\uDFFF""#, "true", "false", "null", "[]", "[ ]", "[\n]", "[1]",
        "[1,2]", "[1 ,\t2 ]", "[[]]", "[[],[[]]]", "{}", "{ }", #"{"":0}"#, #"{"a":{}}"#, #"{ "a" : 1 , "b" : [ ] }"#,
        #"{"a":1,"A":1}"#, #"{"\u0000":1,"\u0001":1}"#, #"[true,false,null,"x",1,{},[]]"#,
    ]
    private static let refused = [
        "", " ", "+1", "01", "-01", "00", "-", "1.", ".5", "1.e1", "1e", "1e+", "1e1.5", "0x1", "1_0", "Infinity",
        "-Infinity", "NaN", "1a", "１", "tru", "True", "TRUE", "nul", "nullx", "truefalse", "\"", "\"a", "a", "'a'",
        "\"\t\"", "\"\n\"", "\"\0\"", "\"\u{1F}\"", #""\""#, #""\x41""#, #""\u""#, #""\u1""#, #""\u12g4""#,
        #""\U0041""#,
        #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""\'""#,
        #""\ ""#, "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1;2]", "[1]]", "[1}", "{", "}", "{1:1}",
        "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a"=1}"#, #"{"a":1]"#,
        #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, #"{"":1,"":1}"#, "{\"\u{E9}\":1,\"e\u{301}\":1}",
        "{\"K\":1,\"\u{212A}\":1}", #"{"a":{"b":1,"b":1}}"#, "/**/1", "1//", "1 #", "\u{FEFF}1", "\u{A0}1", "1\u{B}",
        "1\u{C}", "\u{85}1", "1,", "1 1", "[1]1", "\"a\" \"b\"", "nan", "undefined", "(1)", "<1>", "\u{0}1",
    ]

    /// Takes any value, as Foundation does.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test(arguments: accepted)
    func valid(text: String) throws {
        let bytes = Array(("{\"v\":" + text + "}").utf8)
        try JSONReader.check(bytes)
        _ = try JSONDecoder().decode([String: Anything].self, from: Data(bytes))
    }

    @Test(arguments: refused)
    func invalid(text: String) {
        for bytes in [Array(("{\"v\":" + text + "}").utf8), Array(("{\"v\":[0," + text + "],\"w\":1}").utf8)] {
            let failure = #expect(throws: JSONFailure.self, "\(text)") { try JSONReader.check(bytes) }
            #expect(failure?.malformation != nil)
            // A value that is asked for is no less strict, and what is malformed further on is found all the same.
            #expect(
                failure == #expect(throws: JSONFailure.self) { try JSONReader.read([String: Bool].self, from: bytes) })
        }
    }

    @Test(
        "a map that is asked for has each name once, as those have that nobody asks for",
        arguments: [
            #"{"a":true,"a":true}"#, #"{"a":true,"\u0061":false}"#, #"{"":true,"b":true,"":true}"#,
            "{\"\u{E9}\":true,\"e\u{301}\":true}", "{\"K\":true,\"\u{212A}\":true}",
        ])
    func nameTwice(text: String) {
        let failure = #expect(throws: JSONFailure.self) {
            try JSONReader.read([String: Bool].self, from: Array(text.utf8))
        }
        #expect(failure?.malformation != nil)
        let inner = #expect(throws: JSONFailure.self) {
            try JSONReader.read([String: [String: Bool]].self, from: Array("{\"v\":\(text)}".utf8))
        }
        #expect(inner == failure)
    }

    @Test(
        "bytes that are no UTF-8 are refused in each string",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xFF], [0xC3], [0xE2, 0x82],
        ] as [[UInt8]])
    func notText(bytes: [UInt8]) {
        let quote = [UInt8(ascii: "\"")]
        for place in 0..<3 {
            let name = quote + (place == 0 ? bytes : []) + quote
            let value = quote + (place == 1 ? bytes : []) + quote
            let last = place == 2 ? bytes : []
            #expect(throws: JSONFailure.self) {
                try JSONReader.read(
                    [String: String].self,
                    from: Array("{".utf8) + name + Array(":".utf8) + value + last + Array("}".utf8))
            }
        }
    }

    private func read<Value: JSONReadable>(_ type: Value.Type, _ text: String) -> Value? {
        // `try?`: what cannot be read is nil here.
        (try? JSONReader.read([String: Value].self, from: Array("{\"v\":\(text)}".utf8)))?["v"]
    }

    @Test(
        "a number that is exactly an integer is read as one, however it is written, as Foundation does",
        arguments: [
            "0", "-0", "-0.0", "1.0", "1e3", "1E+2", "1.50e1", "10e-1", "1.5", "1e-1", "0.1e1", "100e-2", "100e-3",
            "0e999",
            "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "1e18",
            "1e19",
            "9007199254740993.0", "1e999999999999999999999", "18446744073709551616", "1e400",
            "123456789012345678901234567890", "0.000", "1000000000000000000000e-3",
        ])
    func numbers(text: String) {
        let bytes = Data("{\"v\":\(text)}".utf8)
        // `try?`: what Foundation cannot read is nil.
        let theirs = (try? JSONDecoder().decode([String: Int64].self, from: bytes))?["v"]
        #expect(read(Int64.self, text) == theirs)
    }

    @Test("no number is rounded, and no type holds more than it can")
    func exactNumbers() {
        // Foundation refuses the first, and takes the others for 1 and 0.
        #expect(read(Int64.self, "9.223372036854775807e18") == .max)
        #expect(read(Int64.self, "1.0000000000000001") == nil)
        #expect(read(Int64.self, "1e-400") == nil)
        #expect(read(UInt64.self, "18446744073709551615") == .max)
        #expect(read(UInt64.self, "-1") == nil && read(UInt64.self, "-0") == 0)
        #expect(read(UInt32.self, "4294967295") == .max && read(UInt32.self, "4294967296") == nil)
        #expect(read(Int32.self, "-2147483648") == .min && read(Int32.self, "-2147483649") == nil)
        #expect(read(Int64.self, "0." + String(repeating: "0", count: 1_000_000) + "1e1000001") == 1)
        #expect(read(Int64.self, String(repeating: "9", count: 1_000_000)) == nil)
    }

    @Test("text is what its escapes say")
    func text() {
        #expect(read(String.self, #""a\/b\u0000\ud83d\ude00\u00E9\\""#) == "a/b\0😀é\\")
        #expect(read(String.self, "\"é😀\"") == "é😀")
        #expect(read(String.self, "1") == nil && read(String.self, "null") == nil)
        #expect(read(Bool.self, "true") == true && read(Bool.self, "1") == nil)
        #expect(read([Int64].self, "[1,2]") == [1, 2] && read([Int64].self, "[1,null]") == nil)
    }

    @Test("a name that comes twice is refused where an object is read, in every spelling")
    func repeatedNames() {
        struct Pair: JSONReadable {
            init(from reader: inout JSONReader) throws(JSONFailure) {
                var members = try reader.members()
                while try reader.next(&members, of: ["K", "a"]) != nil { let _: Int64? = try reader.read() }
            }
        }
        func failure(_ text: String) -> JSONFailure? {
            #expect(throws: JSONFailure.self) { try JSONReader.read(Pair.self, from: Array(text.utf8)) }
        }
        for text in [
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, #"{"\u0061":1,"a":1}"#, "{\"K\":1,\"\u{212A}\":1}",
            "{\"\u{212A}\":1,\"K\":1}", #"{"x":1,"x":1}"#, #"{"x":1,"\u0078":1}"#, "{\"\u{E9}\":1,\"e\u{301}\":1}",
            #"{"x":{"y":1,"y":2}}"#, #"{"a":"wrong","a":1}"#, #"{"a":"wrong","x":{"y":1,"y":2}}"#,
        ] {
            #expect(failure(text)?.malformation == "an object has a name twice", "\(text)")
        }
        #expect(failure(#"{"a":"1"}"#) == .mismatch(at: 5))
    }

    @Test("depth and number of values are bounded where values are read, and where they are passed over")
    func bounds() throws {
        struct Nested: JSONReadable {
            init(from reader: inout JSONReader) throws(JSONFailure) { _ = try [Nested](from: &reader) }
        }
        struct Object: JSONReadable {
            init(from reader: inout JSONReader) throws(JSONFailure) {
                var members = try reader.members()
                while try reader.next(&members, of: ["a"]) != nil { let _: Nested? = try reader.read() }
            }
        }
        for name in ["a", "b"] {
            func nested(_ depth: Int) -> [UInt8] {
                let brackets = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
                return Array("{\"\(name)\":\(brackets)}".utf8)
            }
            _ = try JSONReader.read(Object.self, from: nested(32))
            for depth in [33, 1_000_000] {
                let failure = #expect(throws: JSONFailure.self) {
                    try JSONReader.read(Object.self, from: nested(depth))
                }
                #expect(failure?.malformation?.contains("deeper than 32") == true)
            }
            func list(_ count: Int) -> [UInt8] {
                Array("{\"\(name)\":[\(Array(repeating: "[]", count: count).joined(separator: ","))]}".utf8)
            }
            _ = try JSONReader.read(Object.self, from: list(19_998))
            let failure = #expect(throws: JSONFailure.self) { try JSONReader.read(Object.self, from: list(19_999)) }
            #expect(failure?.malformation?.contains("more than 20000 values") == true)
        }
    }

    @Test("each text, number and truth counts as a value")
    func counts() throws {
        func read<One: JSONReadable>(_ type: One.Type, _ text: String, _ count: Int) throws(JSONFailure) {
            let list = Array(repeating: text, count: count).joined(separator: ",")
            _ = try JSONReader.readValue([One].self, from: Array("[\(list)]".utf8))
        }
        func isTooMuch<One: JSONReadable>(_ type: One.Type, _ text: String) -> Bool {
            let failure = #expect(throws: JSONFailure.self) { try read(type, text, 20_000) }
            return failure?.malformation?.contains("more than 20000 values") == true
        }
        try read(String.self, #""""#, 19_999)
        #expect(isTooMuch(String.self, #""""#))
        try read(Int64.self, "1", 19_999)
        #expect(isTooMuch(Int64.self, "1"))
        try read(Bool.self, "true", 19_999)
        #expect(isTooMuch(Bool.self, "true"))
    }

    @Test("the members around what does not fit are told")
    func trail() {
        func names(_ text: String) -> [String]? {
            // `try?`: nil is a failure of the test.
            try? JSONReader.read(Array(text.utf8)) { (reader) throws(JSONFailure) in
                let start = reader.mark()
                do throws(JSONFailure) {
                    _ = try [String: [String: [Int64]]](from: &reader)
                    return []
                } catch {
                    reader.go(to: start)
                    return try reader.names(around: error)
                }
            }
        }
        #expect(names(#"{"a":{"b":[1,2]}}"#) == [])
        #expect(names(#"{"a":{"b":[1,"2"],"c":[]}}"#) == ["a", "b"])
        #expect(names(#"{"x":{},"a":7}"#) == ["a"])
        #expect(names(#"{"a":{"\u0062":true}}"#) == ["a", "b"])
    }
}
