import Testing

@testable import coffer_cli

/// The lines of a file of variables.
@Suite struct VariableFileTests {
    private func plain(_ line: String) throws -> String? {
        guard case .plain(let value)? = try VariableFile.parse(Array(line.utf8)).first?.source else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("A=b", "b"), ("A=", ""), ("export A=b c", "b c"), ("  A= b # c", "b"), ("A=b#c", "b#c"), ("A=#c", ""),
            ("A='b # \\n'", "b # \\n"), ("A=\"b\\n\\\\\\\"\\$\" # c", "b\n\\\"$"), ("A=b\r\n", "b"),
            ("A=$HOME", "$HOME"),
            ("# c\n\nA=b", "b"), ("\u{FEFF}A=1\nB=2", "1"), ("export\tA=1", "1"), ("export \t A=1", "1"),
            ("A=\"fooo\nbar\"\nB=\"blahblah\"", "fooo\nbar"), ("A='a\r\n\r\nb' # c\r\n", "a\n\nb"),
        ])
    func values(line: String, value: String) throws { #expect(try plain(line) == value) }

    @Test func references() throws {
        let read = try VariableFile.parse(Array("A=coffer://a/b\nB=\"coffer://c\"\n".utf8))
        #expect(read.map(\.name) == ["A", "B"])
        #expect(
            read.map(\.source) == [
                .secret(try SecretReference(parsing: "coffer://a/b")),
                .secret(try SecretReference(parsing: "coffer://c")),
            ])
    }

    @Test(
        arguments: [
            ("A", 1), ("A = b", 1), ("\n1A=b", 2), ("=b", 1), ("A='b", 1), ("A=\"b\\x\"", 1), ("A='b' c", 1),
            ("A=1\nB='b\nb'\nA=3", 4), ("\nA='b\nc\n", 2), ("A='b\nc' d", 2), ("A=COFFER://a", 1), ("A=coffer:/a", 1),
            ("A=coffer://a/%zz", 1), ("A=b\0", 1),
        ])
    func mistakesNameTheLine(text: String, line: Int) throws {
        let mistake = try #require(throws: VariableFile.Mistake.self) { try VariableFile.parse(Array(text.utf8)) }
        #expect(mistake.line == line)
    }
}
