import Testing

@testable import XML

/// Documents of servers that nobody trusts.
@Suite struct XMLDocumentTests {
    private static func code(_ text: String, _ change: (inout XMLDocument.Limits) -> Void = { _ in }) -> XMLError.Code?
    {
        var limits = XMLDocument.Limits()
        change(&limits)
        do throws(XMLError) { _ = try XMLDocument.read(Array(text.utf8), limits: limits) } catch { return error.code }
        return nil
    }

    @Test func partsHaveTheirNamesAndTexts() throws {
        let text =
            #"<?xml version="1.0"?><D:a xmlns:D="DAV:" x="1"><D:b>one &amp; <!-- no -->two</D:b><c> </c><D:b/></D:a>"#
        let root = try XMLDocument.read(Array(text.utf8))
        #expect(root.name == "a" && root.namespace == "DAV:" && root.children.map(\.name) == ["b", "c", "b"])
        #expect(root["b"]?.text == "one & two" && root["c"]?.text == " " && root.children("b").count == 2)
        #expect(root["d"] == nil)
    }

    /// Each entity is ten of the one before: a few hundred bytes become gigabytes.
    @Test func aBombIsRefusedAtItsDocumentType() {
        let entities = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        #expect(Self.code("<!DOCTYPE a [<!ENTITY e0 \"ha\">\(entities)]><a>&e9;</a>") == .documentType)
        #expect(Self.code("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>") == .documentType)
        #expect(Self.code("<!DOCTYPE a [<!ENTITY e SYSTEM \"http://127.0.0.1/\">]><a>&e;</a>") == .documentType)
        #expect(Self.code("<!DOCTYPE a><a/>") == .documentType)
        #expect(Self.code("<a>&e;</a>") == .malformed)
    }

    @Test func depthCountAndLengthHaveLimits() {
        #expect(Self.code("<a><a><a/></a></a>") { $0.depth = 3 } == nil)
        #expect(Self.code("<a><a><a/></a></a>") { $0.depth = 2 } == .tooLarge)
        #expect(Self.code(String(repeating: "<a>", count: 100_000)) == .tooLarge)
        #expect(Self.code("<a><b/><b/></a>") { $0.elements = 3 } == nil)
        #expect(Self.code("<a><b/><b/></a>") { $0.elements = 2 } == .tooLarge)
        #expect(Self.code("<a>xy<b>z</b></a>") { $0.text = 3 } == nil)
        #expect(Self.code("<a>xy<b>z</b></a>") { $0.text = 2 } == .tooLarge)
        #expect(Self.code("<a>xy<b/>z<b>xyz</b></a>") { $0.part = 3 } == nil)
        #expect(Self.code("<a>xy<b/>zz</a>") { $0.part = 3 } == .tooLarge)
        #expect(Self.code("<p:a/>") { $0.part = 3 } == nil)
        #expect(Self.code("<p:ab/>") { $0.part = 3 } == .tooLarge)
    }

    /// Swift takes a time that grows with the square to compare texts with many marks in a row. Callers compare all of these.
    @Test func whatTakesLongToCompareIsRefused() {
        for (count, code) in [(256, nil), (257, XMLError.Code.tooLarge)] {
            let marks = String(repeating: "\u{301}", count: count)
            #expect(Self.code("<a>x\(marks)</a>") == code)
            #expect(Self.code("<a xmlns=\"D\(marks)\"/>") == code)
            #expect(Self.code("<p:a xmlns:p=\"D\(marks)\"/>") == code)
            #expect(Self.code("<a\(marks)/>") == code)
        }
        // A namespace is as long as a text may be.
        for (count, code) in [(8, nil), (9, XMLError.Code.tooLarge)] {
            #expect(Self.code("<a xmlns=\"\(String(repeating: "D", count: count))\"/>") { $0.part = 8 } == code)
        }
    }

    @Test func whatIsNotWholeIsNothing() {
        for text in [
            "", " ", "x", "<a>", "<a></b>", "<a/><b/>", "<a", "<a>\u{0}</a>", "<a b=1/>", "{}", "<:a/>", "<x:/>",
            "<x:y:a/>",
        ] {
            #expect(Self.code(text) == .malformed, "\(text)")
        }
        #expect(throws: XMLError.self) { try XMLDocument.read([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) }
    }
}
