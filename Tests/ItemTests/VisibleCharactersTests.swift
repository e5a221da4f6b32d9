import Item
import Testing

/// Attacker 4: names that look alike, or that cover what stands beside them.
@Suite struct VisibleCharactersTests {
    @Test(
        arguments: [
            // What a terminal obeys, and what ends or turns a line.
            (0x00, false), (0x1B, false), (0x7F, false), (0x85, false), (0x2028, false), (0x2029, false),
            (0x202E, false),
            (0x2066, false), (0x61C, false),
            // Blanks.
            (0x20, true), (0xA0, false), (0x1680, false), (0x2003, false), (0x202F, false), (0x205F, false),
            (0x3000, false),
            // What shows nothing.
            (0xAD, false), (0x34F, false), (0x115F, false), (0x1160, false), (0x17B4, false), (0x180B, false),
            (0x180E, false),
            (0x200B, false), (0x200C, false), (0x200D, false), (0x2060, false), (0x2064, false), (0x2800, false),
            (0x3164, false), (0xFE00, false), (0xFE0F, false), (0xFEFF, false), (0xFFA0, false), (0xFFF9, false),
            (0xFFFC, false), (0x13441, false), (0x16FE4, false), (0x1BCA0, false), (0x1D159, false), (0x1D173, false),
            (0xE0001, false), (0xE0061, false), (0xE0100, false),
            // What no font knows.
            (0xE000, false), (0x378, false), (0xFFFE, false), (0x10FFFF, false),
            // Letters, digits, signs and emoji.
            (0x41, true), (0x5C, true), (0xE9, true), (0x3A9, true), (0x5D0, true), (0x627, true), (0x915, true),
            (0x93F, true),
            (0x1EA5, true), (0x3042, true), (0x65E5, true), (0xD55C, true), (0x2801, true), (0x20AC, true),
            (0x1F389, true),
            (0x1F3FD, true), (0xFFFD, true),
        ] as [(UInt32, Bool)])
    func oneTable(value: UInt32, isShown: Bool) throws {
        var characters = VisibleCharacters()
        #expect(characters.shows(try #require(Unicode.Scalar(value))) == isShown)
    }

    @Test(arguments: [
        "Việt Nam", "Vie\u{323}\u{302}t", "क्षत्रिय", "ภาษาไทยน้ำ", "בְּרֵאשִׁ֖ית", "مُحَمَّد", "ཨོཾ་མ་ཎི་པ་དྨེ་ཧཱུྃ", "cafe\u{301}",
        "👍🏽 🇩🇪",
    ])
    func languagesStayReadable(text: String) {
        #expect(VisibleCharacters.show(text))
    }

    @Test func marksDoNotPileUp() {
        func shown(_ text: String) -> Int {
            var characters = VisibleCharacters()
            return text.unicodeScalars.count { characters.shows($0) }
        }
        #expect(shown("e" + String(repeating: "\u{301}", count: 500)) == 5)
        #expect(shown("e" + String(repeating: "\u{301}\u{489}", count: 500)) == 5)
        // A mark without a letter would change what stands before the text.
        #expect(shown("\u{338}a") == 1 && shown("a \u{338}") == 2 && shown("a\u{200D}\u{338}") == 1)
    }
}
