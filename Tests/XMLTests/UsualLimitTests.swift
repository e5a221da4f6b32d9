import Testing

@testable import XML

/// What a server's document may have if nobody says otherwise.
@Suite struct UsualLimitTests {
    private static func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
    }

    @Test func aDocumentIsSixteenPartsDeep() throws {
        #expect(try XMLDocument.read(Self.nested(16)).name == "a")
        #expect(throws: XMLError(.tooLarge)) { try XMLDocument.read(Self.nested(17)) }
    }

    /// No test fills these. They change on purpose only, and then here, too.
    @Test func whatNoTestFillsIsAsItWasChosen() {
        let usual = XMLDocument.Limits()
        #expect(usual.elements == 200_000 && usual.text == 16 << 20 && usual.part == 16 << 10)
    }
}
