import BrokerProtocol
import Testing

/// A line that is wider than it seems could push the question off the screen. So each range is tried at both of its
/// ends, and beside them.
@Suite struct TextColumnsTests {
    private static let rows: [(columns: Int, scalars: [UInt32])] = [
        (12, [0x2E3A, 0x2E3B, 0xFDF0, 0xFDFF, 0x12000, 0x1254F]),
        (
            2,
            [
                0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0x33FF, 0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xA000, 0xA4CF, 0xAC00,
                0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE4F, 0xFF00, 0xFF60, 0xFFE0, 0xFFE6, 0x16000, 0x18DFF, 0x1F000,
                0x1FFFF, 0x20000, 0x3FFFD,
            ]
        ),
        (
            1,
            [
                0x10FF, 0x1160, 0x2E39, 0x2E3C, 0x2E7F, 0x303F, 0x3040, 0x4DC0, 0x4DFF, 0xA4D0, 0xABFF, 0xD7A4, 0xF8FF,
                0xFB00, 0xFDEF, 0xFE50, 0xFEFF, 0xFF61, 0xFFDF, 0xFFE7, 0x11FFF, 0x12550, 0x15FFF, 0x18E00, 0x1EFFF,
                0x3FFFE,
            ]
        ),
        // Emoji elsewhere: a watch, an umbrella and a flash. The sun and © are shown as text.
        (2, [0x231A, 0x2614, 0x26A1]), (1, [0x2600, 0xA9]),
        // Marks on and around a letter, also of a wide script. One that takes room of its own is none.
        (0, [0x301, 0x20DD, 0xFE00, 0x302A]), (1, [0x903]),
        (1, [0x20, 0x41, 0x7E, 0x7F, 0x80, 0xE9]),
    ]

    @Test func eachRangeHasItsEnds() throws {
        for row in Self.rows {
            for value in row.scalars {
                let scalar = try #require(Unicode.Scalar(value))
                #expect(TextColumns.of(scalar) == row.columns, "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func aTextHasTheColumnsOfItsCharacters() {
        #expect(TextColumns.of("") == 0)
        #expect(TextColumns.of("a\u{65E5}e\u{301}\u{1F389}\u{FDFD}") == 1 + 2 + 1 + 0 + 2 + 12)
    }
}
