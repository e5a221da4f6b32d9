import Testing

@testable import Authenticator

@Suite("Text of others, made fit to be shown")
struct VisibleTextTests {
    @Test(arguments: [
        ("plain ünïcode 日本 🎉", "plain ünïcode 日本 🎉"), ("a\u{7}b\u{1b}[0m", "a\\u{7}b\\u{1b}[0m"),
        ("\u{202e}evil\u{2066}", "\\u{202e}evil\\u{2066}"), ("zero\u{200b}width", "zero\\u{200b}width"),
        ("\u{2028}", "\\u{2028}"), ("\r\n", "\\u{d}\\u{a}"), ("\u{9b}31m", "\\u{9b}31m"), ("\u{a0}", "\\u{a0}"),
        ("\u{e000}", "\\u{e000}"), ("\u{3164}", "\\u{3164}"),
    ])
    func hiddenCharactersAreSpeltOut(text: String, shown: String) {
        #expect(EscapedText.escaped(text, limit: 100) == shown)
    }

    @Test func quotesCannotBeLeft() {
        #expect(EscapedText.quoted("a\" asks to \\", limit: 100) == "\"a\\\" asks to \\\\\"")
    }

    @Test func lengthIsBounded() {
        #expect(EscapedText.escaped(String(repeating: "x", count: 50), limit: 10) == "xxxxxxxxxx…")
        #expect(EscapedText.escaped(String(repeating: "e\u{301}", count: 5000), limit: 10).unicodeScalars.count == 11)
    }

    @Test func terminalsHaveTheirNames() {
        #expect(Client.terminalName(0x8803) == "pts/3")
        #expect(Client.terminalName(0x0401) == "tty1")
        #expect(Client.terminalName(0x0440) == "ttyS0")
        #expect(Client.terminalName(0) == nil)
        // The last of each kind (makedev(3)): major 4 to minor 63, then serial lines; majors 136 to 143 with 256 each.
        #expect(Client.terminalName(0x043F) == "tty63")
        #expect(Client.terminalName(0x8FFF) == "pts/2047")
        #expect(Client.terminalName(0x10_8801) == "pts/257")
        for device: Int32 in [0x8700, 0x9000, 0x0300, 0x0500] { #expect(Client.terminalName(device) == nil) }
    }

    /// Attacker 4: a display that writes from right to left shows what stands between two such words with them, and so changes their places.
    @Test(arguments: [("\u{5D0}", "\u{5D1}"), ("\u{5D0}", "me"), ("bank", "\u{627}"), ("\u{1E900}", "\u{10800}")])
    func wordsFromRightToLeftKeepTheirPlaces(service: String, account: String) {
        #expect(EscapedText.name(service, account) == "service \"\(service)\" / account \"\(account)\"")
        #expect(EscapedText.name("bank", "m\u{E9}") == "\"bank\" / \"m\u{E9}\"")
    }

    /// The first and the last of each block that Unicode reserves for such letters, and their neighbours.
    @Test func theBlocksOfSuchLettersAreWhole() throws {
        let blocks: [(UInt32, UInt32)] = [
            (0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFF), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF),
        ]
        func isMarked(_ value: UInt32) throws -> Bool {
            EscapedText.name(String(try #require(Unicode.Scalar(value))), "me").hasPrefix("service ")
        }
        for (first, last) in blocks {
            #expect(try isMarked(first) && isMarked(last), "\(first)")
            #expect(try !isMarked(first - 1) && !isMarked(last + 1), "\(first)")
        }
    }
}
