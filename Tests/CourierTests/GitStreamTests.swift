import Testing

@testable import Courier

/// A commit is made by a stream of lines. A folder's name must not be one of them.
@Suite struct GitStreamTests {
    /// Swift takes CR LF, and a quote with an accent, for one character. To git they are two.
    @Test(arguments: [
        ("a b", "a b"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("a\r\nb", "a\r\\nb"),
        ("a\"\u{301}b", "a\\\"\u{301}b"), ("a\\\u{301}b", "a\\\\\u{301}b"),
    ])
    func aPathIsOneWordOfOneLine(_ path: String, _ quoted: String) {
        let stream = GitChange.commit(
            [GitChange(path: path, content: .nothing)], to: "refs/coffer/x", onto: nil, at: 1)
        let end = Array("D \"\(quoted)\"\ndone\n".utf8)
        #expect(Array(stream.suffix(end.count)) == end)
    }
}
