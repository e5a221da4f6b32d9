import Item
import Testing

/// Attacker 4: one escaper, however its characters are spelt.
@Suite struct EscaperTests {
    /// A line end, a tab, a direction, a joiner, a blank, a backslash, a quote.
    private static let text = "a\n\t\u{202E}\u{200D}\u{A0}\\\"é"

    @Test(arguments: [
        (VisibleText.Spelling.line, #"a\n\t\u{202e}\u{200d}\u{a0}\"é"#),
        (.prompt, #"a\u{a}\u{9}\u{202e}\u{200d}\u{a0}\"é"#),
        (.ascii, #"a\u{a}\u{9}\u{202e}\u{200d}\u{a0}\"\u{e9}"#),
        (.json, #"a\u000a\u0009\u202e\u200d\u00a0\"é"#),
    ])
    func spellings(spelling: VisibleText.Spelling, shown: String) {
        #expect(VisibleText.escaped(Self.text, spelling) == shown)
    }

    /// No spelling shows what another one hides.
    @Test(arguments: [VisibleText.Spelling.line, .prompt, .ascii, .json])
    func oneRule(spelling: VisibleText.Spelling) {
        for value in (UInt32(0)...0x2FFFF).lazy.compactMap(Unicode.Scalar.init) {
            let text = String(Character(value))
            let shown = VisibleText.escaped(text, spelling)
            #expect(VisibleCharacters.show(text) || (shown.first == "\\" && shown.unicodeScalars.allSatisfy(\.isASCII)))
        }
    }

    @Test func marksAndLimits() {
        #expect(VisibleText.escaped("a\"b\\", .prompt, marking: ["\"", "\\"]) == "a\\\"b\\\\")
        #expect(VisibleText.escaped("a\nb", .prompt, keeping: ["\n"]) == "a\nb")
        #expect(VisibleText.escaped("abc", .line, limit: 3) == "abc")
        #expect(VisibleText.escaped("abcd", .line, limit: 3) == "abc…")
        #expect(VisibleText.escaped("\u{1F512}\u{E0061}", .json) == "\u{1F512}\\udb40\\udc61")
    }

    /// What a terminal obeys. Every other character of a value is shown.
    @Test func whatSteersATerminal() {
        for scalar in ["\u{1B}", "\r", "\u{85}", "\u{2028}", "\u{202E}", "\u{2066}"] as [Unicode.Scalar] {
            #expect(VisibleCharacters.steers(scalar))
        }
        for scalar in ["a", "\u{200D}", "\u{FE0F}", "\u{A0}", "\u{301}"] as [Unicode.Scalar] {
            #expect(!VisibleCharacters.steers(scalar))
        }
    }

    /// In zsh, an equals sign at the beginning of a word asks for a program's path.
    @Test func aWordThatZshWouldReplaceIsQuoted() {
        #expect(ShellWord.quoted("=ls") == "'=ls'" && ShellWord.quoted("=") == "'='")
        #expect(ShellWord.quoted("a=ls") == "a=ls" && ShellWord.quoted("") == "''")
    }

    @Test func kindsOfItems() {
        #expect(VisibleText.name(service: "s", account: "a", kind: .genericPassword) == "s/a")
        #expect(VisibleText.name(service: "s", account: "a", kind: .key) == "s/a (key)")
        // A sign with an accent behind it is one character, and still the sign.
        #expect(VisibleText.quoted("a/\u{301}b") == "\"a/\u{301}b\"")
        #expect(VisibleText.quoted("a\"\u{301} b") == "\"a\\\"\u{301} b\"")
        #expect(VisibleText.quoted("a,\u{301}") == "\"a,\u{301}\"" && VisibleText.quoted("a.") == "\"a.\"")
        #expect(ItemName(service: "a/b", account: "c").description == "\"a/b\"/c")
        #expect(ItemName(service: "é", account: "") != ItemName(service: "e\u{301}", account: ""))
        #expect(ItemName(service: "s", account: "", itemClass: .key) != ItemName(service: "s", account: ""))
    }
}
