import Testing

@testable import Import

@Suite struct CSVTests {
    private func rows(_ text: String) throws -> [CSVRows.Row] {
        var reader = try CSVRows(Array(text.utf8))
        var rows: [CSVRows.Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test func quotesLineEndsAndEmbeddedLines() throws {
        let found = try rows("\u{FEFF}a,b\r\n\"x\"\"y\",\"1\r\n2\"\n\n,\r\nlast,")
        #expect(
            found == [
                .init(line: 1, fields: ["a", "b"]), .init(line: 2, fields: ["x\"y", "1\r\n2"]),
                .init(line: 5, fields: ["", ""]), .init(line: 6, fields: ["last", ""]),
            ])
    }

    /// As old systems and some spreadsheets end lines. Otherwise the whole table would be its first line.
    @Test func aCarriageReturnAloneEndsALine() throws {
        let found = try rows("a,b\rc,\"d\re\"\r\r\"x\"y\rf,2\r")
        #expect(found.map(\.line) == [1, 2, 5, 6])
        #expect(found.map(\.fields) == [["a", "b"], ["c", "d\re"], [], ["f", "2"]])
        #expect(found[2].problem == "field 1 goes on behind its closing quote")
        #expect(
            try rows("a,\"b\r\nc\rd\"\re,f") == [
                .init(line: 1, fields: ["a", "b\r\nc\rd"]), .init(line: 4, fields: ["e", "f"]),
            ])
        // The separator is that of the first line.
        #expect(try rows("a;b\rc,d,e;f").map(\.fields) == [["a", "b"], ["c,d,e", "f"]])
    }

    @Test func aMalformedRowIsNamedAndTheNextIsRead() throws {
        let found = try rows("a,b\n\"x\"y,s3cret\nx\"y,1\nc,d\n")
        #expect(found.map(\.line) == [1, 2, 3, 4])
        #expect(found[1].problem == "field 1 goes on behind its closing quote")
        #expect(found[2].problem == "field 1 has a quote in the middle, but does not begin with one")
        #expect(found[3] == .init(line: 4, fields: ["c", "d"]))
    }

    @Test func anOpenQuoteRefusesTheFileWithItsLine() {
        #expect(throws: UnreadableFile.self) { try rows("a,b\nc,\"s3cret\nd,e\n") }
        do { _ = try rows("a,b\nc,\"s3cret\nd,e\n") } catch {
            let refusal = error as? UnreadableFile
            #expect(refusal?.place == ImportPlace(line: 2))
            #expect(refusal?.reason.contains("s3cret") == false)
        }
    }

    @Test func bytesThatAreNotUTF8AreNamed() throws {
        var reader = try CSVRows([0x61, 0x2C, 0xFF, 0x0A, 0x62])
        #expect(try reader.next()?.problem == "field 2 is not UTF-8")
        #expect(try reader.next()?.fields == ["b"])
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61], [0x50, 0x4B, 3, 4]] as [[UInt8]])
    func otherEncodingsAndArchivesAreRefused(_ bytes: [UInt8]) {
        #expect(throws: UnreadableFile.self) { try CSVRows(bytes) }
    }

    @Test func aRowWithTooManyFieldsIsNotKept() throws {
        let found = try rows(String(repeating: ",", count: 100_000) + "\nb\n")
        #expect(found[0].problem == "it has more than 256 fields")
        #expect(found[0].fields.count <= 256)
        #expect(found[1].fields == ["b"])
    }
}
