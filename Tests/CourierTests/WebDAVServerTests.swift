import Authorization
import Circle
import Cryptography
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Courier

/// A WebDAV server that does what a test wants.
@Suite struct WebDAVServerTests {
    private static func server(
        _ web: ScriptedServer, _ change: (inout CourierLimits) -> Void = { _ in }
    ) throws -> WebDAVServer {
        var limits = CourierLimits()
        change(&limits)
        return WebDAVServer(try HTTPAddress(web.address + "/dav"), .keys([]), patience: .none, limits: limits)
    }

    /// A list as servers give it, with the folder itself.
    private static func list(_ folder: String, _ names: [String]) -> ScriptedServer.Answer {
        let responses = [folder] + names.map { folder + $0 }
        return .init(
            207,
            body: "<D:multistatus xmlns:D=\"DAV:\">"
                + responses.map {
                    "<D:response><D:href>\($0)</D:href><D:propstat><D:prop><D:getetag>\"e\"</D:getetag></D:prop>"
                        + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
                }.joined() + "</D:multistatus>")
    }

    private static let circle = String(repeating: "ab", count: 32)
    private static let device = String(repeating: "02", count: 16)

    @Test func aWriteMakesTheFoldersThatAreMissing() throws {
        let bucket = try PlayedBucket(.init(200))
        let path = try bucket.segment(1)
        let web = try ScriptedServer([.init(409), .init(405), .init(201), .init(301), .init(201), .init(204)])
        try Self.server(web).write([1, 2], to: path)
        let parts = path.text.split(separator: "/").map(String.init)
        let folders = (1..<parts.count).map { parts.prefix($0).joined(separator: "/") }
        let targets = ["PUT /dav/\(path.text)"] + folders.map { "MKCOL /dav/\($0)/" } + ["PUT /dav/\(path.text)"]
        #expect(try web.requests().map(\.target) == targets)
        #expect(try web.requests().last?.body == Data([1, 2]))
    }

    @Test func foldersAreListedOneByOneAndStrangeNamesAreNot() throws {
        let bucket = try PlayedBucket(.init(200))
        let (path, run) = (try bucket.segment(1), String(repeating: "01", count: 16))
        let folder = String(repeating: "0", count: 13)
        let web = try ScriptedServer([
            Self.list("/dav/\(Self.circle)/heads/", [Self.device, "x", "%2e%2e", "%2Fetc%2Fpasswd"]),
            Self.list("/dav/\(Self.circle)/", ["heads/", "beacon", "\(Self.device)/", "..", "other/"]),
            Self.list("/else/where/\(Self.device)/", ["\(folder)/", "0/", "x"]),
            Self.list("https://h/\(folder)/", ["0000000000000001-\(run)", "0000000000000001-\(run).part", "%ff"]),
        ])
        let found = try Self.server(web).files(of: bucket.circle)
        #expect(found == [RemoteFile(path: bucket.head, tag: "\"e\""), RemoteFile(path: path, tag: "\"e\"")])
        let seen = try web.requests()
        #expect(
            seen.map(\.target)
                == ["/heads", "", "/\(Self.device)", "/\(Self.device)/\(folder)"].map {
                    "PROPFIND /dav/\(Self.circle)\($0)/"
                })
        #expect(seen.allSatisfy { $0.headers["depth"] == "1" && $0.text == WebDAVList.question })
    }

    @Test func aFolderThatIsNotThereIsEmptyAndAMissingStoreIsNot() throws {
        let bucket = try PlayedBucket(.init(200))
        let web = try ScriptedServer([.init(404)])
        #expect(try Self.server(web).files(of: bucket.circle).isEmpty)
        #expect(try Self.server(web).read(bucket.head, unless: nil) == .missing)
        let server = try Self.server(web)
        #expect(PlayedBucket.error { try server.circles() }?.code == .missing)
        #expect(PlayedBucket.error { try server.probe() }?.code == .missing)
    }

    /// A password has no time in it. So the former one is tried, and nobody is told to set a clock.
    @Test(arguments: [(401, StoreError.Code.refused), (403, .notPermitted)])
    func aRefusedPasswordIsNoMatterOfClocks(_ status: Int, _ code: StoreError.Code) throws {
        let bucket = try PlayedBucket(.init(200))
        let refusal = ScriptedServer.Answer(status, [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")], body: "<html/>")
        let web = try ScriptedServer([refusal, .init(200, body: "x"), refusal])
        let server = WebDAVServer(
            try HTTPAddress(web.address + "/dav"), .keys(try bucket.keys(2)), patience: .none)
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("x".utf8), tag: nil))
        #expect(server.usesFormer)
        let error = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
        #expect(error?.code == code && error?.description.contains("clock") == false)
    }

    /// A name that takes the room of many costs as much as many.
    @Test func longNamesCostAsMuchAsMany() throws {
        let bucket = try PlayedBucket(.init(200))
        for (length, isRead) in [(100, true), (16_000, false)] {
            let web = try ScriptedServer([Self.list("/dav/x/", [String(repeating: "x", count: length)])])
            let server = try Self.server(web) { $0.names = 7 }
            let expected: StoreError.Code? = isRead ? nil : .tooMany
            #expect(PlayedBucket.error { try server.files(of: bucket.circle) }?.code == expected)
        }
    }

    /// All folders have one budget.
    @Test func aTreeThatGrowsForEverEnds() throws {
        let bucket = try PlayedBucket(.init(200))
        let devices = (10..<90).map { String(repeating: String($0), count: 16) }
        let web = try ScriptedServer([
            Self.list("/dav/x/", []), Self.list("/dav/x/", devices),
            Self.list("/dav/x/", (0..<9).map { String(repeating: "0", count: 12) + String($0) }),
        ])
        let server = try Self.server(web) { $0.names = 200 }
        #expect(PlayedBucket.error { try server.files(of: bucket.circle) }?.code == .tooMany)
        #expect(try web.requests().count < 60)
    }

    @Test func aBombAndOtherDocumentsAreNoList() throws {
        for body in [
            "<!DOCTYPE a [<!ENTITY e \"x\">]><multistatus xmlns=\"DAV:\">&e;</multistatus>", "<multistatus/>", "",
            "<html/>",
        ] {
            let web = try ScriptedServer([.init(207, body: body)])
            let server = try Self.server(web)
            #expect(PlayedBucket.error { try server.circles() }?.code == .notUnderstood, "\(body)")
        }
        // A page for people, at an address that is none of WebDAV's.
        let web = try ScriptedServer([.init(200, body: "<html/>")])
        let server = try Self.server(web)
        #expect(PlayedBucket.error { try server.circles() }?.code == .notUnderstood)
    }
}
