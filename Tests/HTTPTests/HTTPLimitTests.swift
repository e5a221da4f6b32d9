import TestSupport
import Testing

@testable import HTTP

/// What is taken of a server's answer and of an address: all up to the limit, and nothing beyond it.
@Suite struct HTTPLimitTests {
    /// - Parameter text: what the server sends.
    /// - Returns: nil if it is too much.
    private static func read(_ text: String) throws -> HTTPAnswer? {
        let server = try ScriptedServer([.init(raw: Array(text.utf8))])
        var client = try HTTPClient()
        let request = HTTPRequest(.get, try HTTPAddress(server.address + "/x"), limit: 100)
        do throws(HTTPError) { return try client.send(request) } catch {
            #expect(error.code == .tooLarge)
            return nil
        }
    }

    private static let start = "HTTP/1.1 200 X\r\nContent-Length: 0\r\n"

    /// - Parameter count: its length with its end.
    private static func line(_ count: Int) -> String { "X: \(String(repeating: "y", count: count - 5))\r\n" }

    @Test func aHeaderLineHasItsWholeLength() throws {
        let whole = try Self.read("\(Self.start)\(Self.line(8192))\r\n")
        #expect(whole?.headers["x"]?.utf8.count == 8187)
        let longer = try Self.read("\(Self.start)\(Self.line(8193))\r\n")
        #expect(longer == nil)
    }

    @Test func allHeaderLinesTogetherHaveALimit() throws {
        func head(_ total: Int) -> String {
            let lines = String(repeating: Self.line(4096), count: 15)
            let rest = total - Self.start.utf8.count - lines.utf8.count - 2
            return "\(Self.start)\(lines)\(Self.line(rest))\r\n"
        }
        #expect(head(1 << 16).utf8.count == 1 << 16)
        #expect(try Self.read(head(1 << 16))?.status == 200)
        let longer = try Self.read(head(1 << 16 + 1))
        #expect(longer == nil)
    }

    /// The tag of an early hint is not the content's. With it, a file that somebody else has changed would be replaced.
    @Test func anEarlyAnswersHeadersAreNotTheLast() throws {
        let answer = try #require(
            try Self.read(
                "HTTP/1.1 103 Early\r\nETag: \"old\"\r\nX: 1\r\n\r\nHTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok"))
        #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        #expect(answer.headers["etag"] == nil && answer.headers["x"] == nil)
        #expect(answer.headers["content-length"] == "2")
    }

    @Test func aDateThatIsNoneIsNone() throws {
        let answer = try #require(try Self.read("HTTP/1.1 200 X\r\nDate: someday\r\nContent-Length: 0\r\n\r\n"))
        #expect(answer.headers["date"] == "someday" && answer.date == nil)
    }

    @Test func anAddressHasItsWholeLength() throws {
        func label(_ count: Int) -> String { String(repeating: "a", count: count) }
        let host = "\(label(63)).\(label(63)).\(label(63))."
        for text in [
            "https://\(label(63))/", "https://\(host)\(label(61))/", "https://h:65535/", "https://h/\(label(2038))",
        ] { #expect(throws: Never.self) { try HTTPAddress(text) } }
        for text in ["https://\(label(64))/", "https://\(host)\(label(62))/", "https://h/\(label(2039))"] {
            #expect(throws: HTTPAddress.Problem.malformed) { try HTTPAddress(text) }
        }
    }
}
