import Cryptography
import Foundation
import TestSupport
import Testing

@testable import HTTP

/// Requests and answers, with a server that does what a test wants.
@Suite struct HTTPClientTests {
    private static func credentials(_ scheme: HTTPCredentials.Scheme) throws -> HTTPCredentials {
        HTTPCredentials(scheme, name: "me", secret: try SecretBytes(copying: Array("a: secret".utf8)))
    }

    private static func request(
        _ server: ScriptedServer, _ method: HTTPRequest.Method = .get, path: String = "/x", limit: Int = 1 << 16
    ) throws -> HTTPRequest {
        HTTPRequest(method, try HTTPAddress(server.address + path), limit: limit)
    }

    /// - Returns: nil if the server answers well.
    private static func code(
        _ answer: ScriptedServer.Answer, limit: Int = 1 << 16, _ change: (inout HTTPLimits) -> Void = { _ in }
    ) throws -> HTTPError.Code? {
        let server = try ScriptedServer([answer])
        var limits = HTTPLimits()
        change(&limits)
        var client = try HTTPClient(limits: limits)
        let request = try Self.request(server, limit: limit)
        do throws(HTTPError) { _ = try client.send(request) } catch { return error.code }
        return nil
    }

    @Test func anAnswerIsReadWhole() throws {
        let server = try ScriptedServer([
            .init(
                207,
                [("ETag", "\"x\""), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("X-Twice", "a"), ("x-twice", " b ")],
                body: "body")
        ])
        var client = try HTTPClient()
        var request = try Self.request(server, .properties)
        request.headers = [("Depth", "1")]
        request.body = Array("<x/>".utf8)
        request.contentType = "application/xml"
        request.isFolder = true
        let answer = try client.send(request)
        #expect(answer.status == 207 && answer.body == Array("body".utf8) && answer.headers["etag"] == "\"x\"")
        #expect(answer.date == 784_111_777 && answer.headers["x-twice"] == "b ")
        let seen = try #require(try server.requests().first)
        #expect(seen.line == "PROPFIND /x/ HTTP/1.1" && seen.text == "<x/>")
        #expect(seen.headers["depth"] == "1" && seen.headers["content-type"] == "application/xml")
        #expect(seen.headers["authorization"] == nil && seen.headers["expect"] == nil)
    }

    @Test func theConnectionIsKeptAndTheCredentialsAreNot() throws {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        _ = try client.send(Self.request(server), as: Self.credentials(.basic))
        _ = try client.send(Self.request(server))
        let seen = try server.requests()
        let basic = "Basic \(Data("me:a: secret".utf8).base64EncodedString())"
        #expect(seen.count == 2 && seen[0].headers["authorization"] == basic)
        #expect(seen[1].headers["authorization"] == nil)
    }

    /// The one shape that every libcurl signs rightly: the query as it is signed, the hash as a header, no header twice.
    @Test func aSignedRequestHasTheShapeThatIsSignedRightly() throws {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        var request = try Self.request(server, .put, path: "/bucket/a/b")
        request.query = [("delimiter", "/"), ("list-type", "2"), ("prefix", "a b/=é"), ("versioning", "")]
        request.headers = [("x-amz-content-sha256", "UNSIGNED-PAYLOAD")]
        request.body = [0, 1, 2]
        _ = try client.send(request, as: Self.credentials(.signed(region: "eu-x-1")))
        let seen = try #require(try server.requests().first)
        #expect(
            seen.line
                == "PUT /bucket/a/b?delimiter=%2F&list-type=2&prefix=a%20b%2F%3D%C3%A9&versioning= HTTP/1.1")
        #expect(seen.most == 1 && seen.body == Data([0, 1, 2]) && seen.headers["expect"] == nil)
        #expect(seen.headers["content-type"] == "application/octet-stream" && seen.headers["x-amz-date"] != nil)
        let signature = try #require(seen.headers["authorization"])
        #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=me/") && signature.contains("/eu-x-1/s3/aws4_request"))
        #expect(signature.contains("x-amz-content-sha256") && !signature.contains("secret"))
    }

    @Test func aBodyOfNothingIsSentAsNothing() throws {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        var request = try Self.request(server, .put)
        request.body = []
        _ = try client.send(request)
        #expect(try server.requests().first?.headers["content-length"] == "0")
    }

    /// A server that could send us elsewhere could also have us ask something inside of a network.
    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsNotFollowed(_ status: Int) throws {
        let other = try ScriptedServer([.init(200)])
        let server = try ScriptedServer([.init(status, [("Location", other.address + "/elsewhere")])])
        var client = try HTTPClient()
        #expect(try client.send(Self.request(server), as: Self.credentials(.basic)).status == status)
        #expect(try other.requests().isEmpty && server.requests().count == 1)
    }

    @Test func moreThanWasAskedForEndsTheRequest() throws {
        let long = String(repeating: "x", count: 101)
        #expect(try Self.code(.init(200, body: String(long.dropLast())), limit: 100) == nil)
        #expect(try Self.code(.init(200, body: long), limit: 100) == .tooLarge)
        // It does not say how long it is, or never ends.
        #expect(try Self.code(.init(raw: Array("HTTP/1.1 200 X\r\n\r\n\(long)".utf8)), limit: 100) == .tooLarge)
        #expect(try Self.code(.init(raw: Array("HTTP/1.1 200 X\r\n\r\n\(long)".utf8), .endless)) == .tooLarge)
        #expect(
            try Self.code(.init(200, [("Content-Length", "9223372036854775807")], body: "x", .endless)) == .tooLarge)
    }

    @Test func headersHaveALimitToo() throws {
        let many = (0..<70).map { ("X-\($0)", String(repeating: "y", count: 1000)) }
        #expect(try Self.code(.init(200, many)) == .tooLarge)
        #expect(try Self.code(.init(200, [("X", String(repeating: "y", count: 9000))])) == .tooLarge)
        #expect(try Self.code(.init(raw: Array("HTTP/1.1 200 X\r\nX: y".utf8), .endless)) != nil)
    }

    @Test func anAnswerThatLiesAboutItsLengthIsNone() throws {
        #expect(try Self.code(.init(200, [("Content-Length", "9")], body: "short", .closed)) == .broken)
        #expect(
            try Self.code(
                .init(raw: Array("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab".utf8))) == .broken)
        let server = try ScriptedServer([.init(200, [("Content-Length", "2")], body: "long", .closed)])
        var client = try HTTPClient()
        #expect(try client.send(Self.request(server)).body == Array("lo".utf8))
    }

    @Test func whatIsNoHTTPIsNoAnswer() throws {
        for text in ["", "SSH-2.0-x\r\n", "<html>"] {
            let code = try Self.code(.init(raw: Array(text.utf8)))
            #expect(code == .broken || code == .notConnected, "\(text)")
        }
    }

    @Test func aServerThatSaysNothingIsGivenUp() throws {
        #expect(try Self.code(.init(raw: [], .silent)) { $0.whole = .seconds(1) } == .timedOut)
        #expect(
            try Self.code(.init(raw: Array("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nx".utf8), .silent)) {
                $0.silence = .seconds(1)
            } == .timedOut)
    }

    @Test func nobodyAtThePortIsSaidSo() throws {
        let server = try ScriptedServer([.init(200)])
        try server.stop()
        var client = try HTTPClient()
        let request = try Self.request(server)
        let error = #expect(throws: HTTPError.self) { try client.send(request) }
        #expect(error?.code == .notConnected && error?.raw == 7 && error?.reason.isEmpty == false)
    }

    /// Its certificate is its own word. It gets no request, and so no password.
    @Test func aServerThatCannotProveWhoItIsGetsNothing() throws {
        let server = try ScriptedServer([.init(200)], certified: true)
        var client = try HTTPClient()
        for host in ["localhost", "127.0.0.1"] {
            let request = HTTPRequest(.get, try HTTPAddress("https://\(host):\(server.port)/"), limit: 100)
            let credentials = try Self.credentials(.basic)
            let error = #expect(throws: HTTPError.self) { try client.send(request, as: credentials) }
            #expect(error?.code == .certificate)
        }
        #expect(try server.requests().isEmpty)
    }

    @Test func aHeaderThatHoldsAnotherIsNotSent() throws {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        var request = try Self.request(server)
        request.headers = [("If-None-Match", "x\r\nX-Evil: 1")]
        let sent = request
        #expect(throws: HTTPError.self) { try client.send(sent) }
        #expect(try server.requests().isEmpty)
    }

    /// What goes with keys that end after some hours. It is signed, and gone with the request.
    @Test func aTokenIsSignedAndNotKept() throws {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        let token = try SecretBytes(copying: Array("t/o+ken==".utf8))
        let keys = HTTPCredentials(
            .signed(region: "eu-x-1"), name: "me", secret: try SecretBytes(copying: Array("s".utf8)), token: token)
        _ = try client.send(Self.request(server), as: keys)
        _ = try client.send(Self.request(server), as: Self.credentials(.signed(region: "eu-x-1")))
        let seen = try server.requests()
        #expect(seen.map { $0.headers["x-amz-security-token"] } == ["t/o+ken==", nil])
        let signed = seen.map { $0.headers["authorization"]?.contains("x-amz-security-token") }
        #expect(signed == [true, false] && seen[0].most == 1)
    }

    @Test(arguments: ["t\r\nX-Evil: 1", "t\u{0}", "t\u{7F}"]) func aTokenThatHoldsAHeaderIsNotSent(_ token: String)
        throws
    {
        let server = try ScriptedServer([.init(200)])
        var client = try HTTPClient()
        let secret = try SecretBytes(copying: Array(token.utf8))
        let keys = HTTPCredentials(.signed(region: "eu-x-1"), name: "me", secret: secret, token: secret)
        let sent = try Self.request(server)
        #expect(throws: HTTPError.self) { try client.send(sent, as: keys) }
        #expect(try server.requests().isEmpty)
    }
}
