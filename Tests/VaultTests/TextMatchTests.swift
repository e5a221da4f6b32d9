import Testing

@testable import Vault

struct TextMatchTests {
    /// Against Swift's own comparison of characters.
    @Test func asCharactersAreCompared() {
        let pieces = [
            "a", "A", "z", "Z", "B", "bank", "\r", "\n", "\r\n", " ", "@", "[", "`", "{", "é", "e\u{301}", "\u{212A}",
            "K", "k", ";",
            "\u{37E}", "ß", "SS",
            "İ", "i", "\u{307}", "名", "\0",
        ]
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0...most)).map { _ in pieces.randomElement() ?? "" }.joined()
        }
        var found = 0
        for _ in 0..<50_000 {
            let (other, wanted) = (text(6), text(2))
            // Not by the test itself: the whole of Foundation has another `contains`.
            let isIn = TextMatch(wanted).isInByCharacters(other)
            if isIn { found += 1 }
            #expect(TextMatch(wanted).isIn(other) == isIn, "\(wanted.debugDescription) in \(other.debugDescription)")
        }
        #expect(found > 1000)
    }

    /// Texts that begin again within themselves.
    @Test func whatNearlyMatches() {
        func text(_ most: Int) -> String {
            String((0..<Int.random(in: 0...most)).map { _ in Bool.random() ? "a" : "B" })
        }
        for _ in 0..<20_000 {
            let (other, wanted) = (text(16), text(6))
            #expect(
                TextMatch(wanted).isIn(other) == TextMatch(wanted).isInByCharacters(other), "\(wanted) in \(other)")
        }
        #expect(TextMatch("aab").isIn("aaab") && TextMatch("abab").isIn("abaabab") && !TextMatch("abab").isIn("abaaba"))
    }

    @Test func everyPartOfTheNames() {
        let metadata = Metadata(
            service: "Service", account: "ACCOUNT", label: "a Label", comment: "some Comment",
            attributes: ["name": "attribute"],
            created: 0, modified: 0, valueSet: 0)
        for text in ["service", "Account", "label", "COMMENT", ""] { #expect(TextMatch(text).isIn(metadata)) }
        #expect(!TextMatch("attribute").isIn(metadata))
    }
}
