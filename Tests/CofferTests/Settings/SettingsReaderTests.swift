import Testing

@testable import Coffer
@testable import CofferSettings

@Suite struct SettingsReaderTests {
    private func read(_ text: String, depth: Int = 4) throws -> SettingsJSON {
        try SettingsReader.read(Array(text.utf8), depth: depth)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}",
        "{\"é\":1,\"e\u{301}\":2}", "01", "-", "+1", "1.", ".5", "1e", "1e400", "-1e400", "9223372036854775808",
        "NaN", "tru", "nul", "\"", "\"\u{1}\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "1 2", "[[[[[1]]]]]", "// 1", "'a'",
    ])
    func refuses(_ text: String) { #expect(throws: SettingsReader.Malformed.self) { try read(text) } }

    @Test func refusesWhatIsNoText() {
        #expect(throws: SettingsReader.Malformed.self) { try SettingsReader.read([0x22, 0xFF, 0x22], depth: 4) }
    }

    @Test func readsAndWritesTheSame() throws {
        let text = #"{"a":[true,false,null,-9223372036854775808,1.5,"é\n\"\\"],"b":{}}"#
        #expect(try read(text).text() == text)
        #expect(try read(" [ 1 , { \"a\" : \"\\u0041\\ud83d\\ude00\\/\" } ] ") == [1, ["a": "A😀/"]])
        #expect(try read("[1,1.0,1e2,-0]") == [.integer(1), .number(1), .number(100), .integer(0)])
        #expect(try read("[[[[1]]]]") == [[[[1]]]])
    }
}
