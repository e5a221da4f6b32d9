import Item
import Testing

@testable import BrokerProtocol

@Suite struct PromptLinesTests {
    private static let pieces = [
        "a", "word", " ", "  ", "\u{301}", "日本", "🎉", "/", "\n", "   ", String(repeating: "x", count: 80), "\u{FDFD}",
    ]

    /// Three blanks after a line break mean that nothing but the break was added. So two texts never become one.
    @Test func nothingIsLostAndNoLineIsWide() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random)!
            }
            .joined().replacing("\n ", with: "\n")
            let broken = PromptLines.broken(text)
            #expect(
                broken.replacing("\n   ", with: "") == text.replacing("\n   ", with: ""), "\(text.debugDescription)")
            let lines = broken.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { TextColumns.of(String($0)) <= 72 }, "\(broken)")
            #expect(PromptLines.broken(broken) == broken)
        }
    }

    @Test func aLineBreaksBeforeABlankAndGoesOnBelow() {
        let words = String(repeating: "word ", count: 20)
        #expect(
            PromptLines.broken(words).split(whereSeparator: \.isNewline).map(\.count) == [69, 34],
            "\(PromptLines.broken(words))")
        #expect(PromptLines.broken(String(repeating: "x", count: 73)) == String(repeating: "x", count: 72) + "\n   x")
        #expect(PromptLines.broken("Password: ") == "Password: ")
        // A mark stays with its letter.
        let marked = String(repeating: "x", count: 72) + "\u{301}"
        #expect(PromptLines.broken(marked + "y") == marked + "\n   y")
    }

    @Test func theFirstLineIsWholeAndItemsAreCounted() {
        let text = "Read these 2 items:\n  \"a\" / \"b\"\n  \"c\" / \"d\"\n   and more\nfor /usr/bin/x"
        #expect(PromptLines.first(of: text) == "Read these 2 items:")
        #expect(PromptLines.first(of: "Read a\n   long\n    name\nfor x") == "Read a\n   long\n    name")
        #expect(PromptLines.items(in: text) == 2)
        #expect(PromptLines.rows(of: "a\n" + String(repeating: "x", count: 81) + "\n", columns: 80) == 4)
    }

    @Test func aLongPathLosesItsMiddle() {
        #expect(VisibleText.path("/usr/bin/coffer") == "/usr/bin/coffer")
        #expect(VisibleText.path("/tmp/a (process 1)/x") == "\"/tmp/a (process 1)/x\"")
        #expect(VisibleText.path("/tmp/a…b") == "\"/tmp/a…b\"")
        let long = "/" + String(repeating: "d", count: 4000) + "/coffer"
        #expect(VisibleText.path(long).hasPrefix("/ddd") && VisibleText.path(long).hasSuffix("ddd/coffer"))
        #expect(TextColumns.of(VisibleText.path(long)) == 2 * 71 + 1)
        // Both of its ends are quoted if they need it, and the “…” is not.
        let odd = "/a b/" + String(repeating: "d", count: 4000) + "/c d"
        #expect(VisibleText.path(odd).hasPrefix("\"/a b/dd") && VisibleText.path(odd).hasSuffix("dd/c d\""))
        #expect(VisibleText.path(odd).contains("d\"…\"d"))
    }
}
