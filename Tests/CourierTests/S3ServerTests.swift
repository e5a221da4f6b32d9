import Authorization
import Circle
import Cryptography
import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Courier

/// A bucket of a server that does what a test wants. What a right server takes is for scripts/sync-stores to show.
struct PlayedBucket {
    let web: ScriptedServer
    let told = Mutexed<[String]>([])
    let circle: StatementName
    let device: WriterID

    init(_ answers: ScriptedServer.Answer...) throws { try self.init(all: answers) }

    init(all answers: [ScriptedServer.Answer]) throws {
        web = try ScriptedServer(answers)
        circle = try StoreFixture.circle(0xAB)
        device = try ExchangeFixture.device(2)
    }

    static let secrets = ["present-secret", "former-secret"]

    func keys(_ count: Int = 1) throws -> [RemoteKeys] {
        try Self.secrets.prefix(count).map {
            RemoteKeys(name: "KEY-\($0.prefix(3))", secret: try SecretBytes(copying: Array($0.utf8)))
        }
    }

    func server(
        keys count: Int = 1, patience: RemotePatience = .none, _ change: (inout CourierLimits) -> Void = { _ in }
    ) throws -> S3Server {
        var limits = CourierLimits()
        change(&limits)
        let place = try #require(BucketPlace("s3://name/pre/fix", endpoint: try HTTPAddress(web.address)))
        return S3Server(place, .keys(try keys(count)), patience: patience, limits: limits)
    }

    var head: StorePath { .head(circle: circle, device: device) }

    func segment(_ number: UInt64) throws -> StorePath {
        .segment(circle: circle, device: device, number: number, run: try StoreFixture.run(1))
    }

    /// A page of a list, with keys as they are.
    static func page(_ keys: [String], more: Bool = false, folders: [String] = []) -> ScriptedServer.Answer {
        let contents = keys.map { "<Contents><Key>\($0)</Key><ETag>&quot;e&quot;</ETag><Size>1</Size></Contents>" }
        let prefixes = folders.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }
        return .init(
            200,
            body: "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<IsTruncated>\(more)</IsTruncated>\((contents + prefixes).joined())</ListBucketResult>")
    }

    static func refusal(_ status: Int, _ code: String, _ headers: [(String, String)] = []) -> ScriptedServer.Answer {
        .init(status, headers, body: "<Error><Code>\(code)</Code></Error>")
    }

    /// - Returns: nil if nothing fails.
    static func error(_ body: () throws -> some Any) -> StoreError? {
        do { _ = try body() } catch let error as StoreError { return error } catch { Issue.record(error) }
        return nil
    }
}

/// What a closure of another thread changes.
final class Mutexed<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var now: Value { value.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
}

@Suite struct S3ServerTests {
    @Test func filesAreKeysBelowThePrefix() throws {
        let bucket = try PlayedBucket(
            .init(200), .init(200, [("ETag", "\"t\"")], body: "abc"), .init(304), .init(404), .init(204))
        let server = try bucket.server()
        try server.write([1, 2], to: bucket.head)
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("abc".utf8), tag: "\"t\""))
        #expect(try server.read(bucket.head, unless: "\"t\"") == .unchanged)
        #expect(try server.read(bucket.head, unless: nil) == .missing)
        try server.remove(bucket.head)
        let seen = try bucket.web.requests()
        let path = "/name/pre/fix/\(bucket.head.text)"
        #expect(seen.map(\.target) == ["PUT", "GET", "GET", "GET", "DELETE"].map { "\($0) \(path)" })
        #expect(seen[2].headers["if-none-match"] == "\"t\"" && seen[1].headers["if-none-match"] == nil)
        // The hash of what is sent is signed, also of nothing.
        for (request, bytes) in zip(seen, [[1, 2], [], [], [], []] as [[UInt8]]) {
            #expect(request.headers["x-amz-content-sha256"] == Hex.encode(try SHA256.digest(bytes)))
            #expect(request.headers["authorization"]?.contains("x-amz-content-sha256") == true)
            #expect(request.most == 1)
        }
    }

    @Test func aListIsReadPageByPageBehindItsLastKey() throws {
        let fixture = try PlayedBucket(.init(200))
        let (first, second) = (try fixture.segment(1), try fixture.segment(2))
        let keys = [first, second, fixture.head].map { "pre/fix/\($0.text)" }.sorted()
        let bucket = try PlayedBucket(
            PlayedBucket.page([keys[0]], more: true), PlayedBucket.page([keys[1]], more: true),
            PlayedBucket.page([keys[2]]))
        let found = try bucket.server().files(of: bucket.circle)
        #expect(Set(found.map(\.path)) == [first, second, bucket.head] && found.allSatisfy { $0.tag == "\"e\"" })
        let start =
            "GET /name?list-type=2&max-keys=1000&prefix=\(Escapes.encoded("pre/fix/\(Hex.encode(bucket.circle.bytes))/"))"
        #expect(
            try bucket.web.requests().map(\.target)
                == [
                    start, "\(start)&start-after=\(Escapes.encoded(keys[0]))",
                    "\(start)&start-after=\(Escapes.encoded(keys[1]))",
                ])
    }

    @Test func circlesAreFoldersAndEachIsSkipped() throws {
        let name = String(repeating: "ab", count: 32)
        let bucket = try PlayedBucket(
            PlayedBucket.page(["pre/fix/note"], more: true, folders: ["pre/fix/\(name)/", "pre/fix/join/"]),
            PlayedBucket.page([]))
        #expect(try bucket.server().circles() == [bucket.circle])
        let targets = try bucket.web.requests().map(\.target)
        #expect(targets[0] == "GET /name?delimiter=%2F&list-type=2&max-keys=1000&prefix=pre%2Ffix%2F")
        // Behind all that is in the last folder, and behind the last key.
        #expect(targets[1] == targets[0] + "&start-after=pre%2Ffix%2Fnote")
    }

    @Test func thePlaceIsTriedAndToldAbout() throws {
        let web = try ScriptedServer([.init(200), .init(200, body: "not what was written")])
        let place = try #require(BucketPlace("s3://name", endpoint: try HTTPAddress(web.address)))
        let keys = try PlayedBucket(.init(200)).keys()
        let other = S3Server(place, .keys(keys), patience: .none)
        #expect(PlayedBucket.error { try other.probe() }?.code == .notUnderstood)
        let seen = try web.requests()
        #expect(seen.count == 2 && seen[0].target.hasPrefix("PUT /name/probe-") && seen[0].body.count == 16)
        #expect(StorePath(String(seen[0].target.dropFirst(10))) == nil)
    }
}

/// Attacker 10 keeps the bucket.
@Suite struct S3AttackTests {
    @Test func aListThatDoesNotAdvanceEnds() throws {
        let fixture = try PlayedBucket(.init(200))
        let key = "pre/fix/\(fixture.head.text)"
        for page in [
            PlayedBucket.page([key], more: true), PlayedBucket.page([], more: true),
            PlayedBucket.page(["a"], more: true),
        ] {
            let bucket = try PlayedBucket(page)
            let server = try bucket.server()
            #expect(PlayedBucket.error { try server.files(of: bucket.circle) }?.code == .notUnderstood)
            #expect(try bucket.web.requests().count <= 2)
        }
    }

    /// Each page goes on a little, and there is always another one.
    @Test func aListWithoutAnEndEnds() throws {
        let pages = (1...20).map {
            PlayedBucket.page(["pre/fix/\(Character(UnicodeScalar(96 + $0) ?? "z"))"], more: true)
        }
        let bucket = try PlayedBucket(all: pages)
        let server = try bucket.server { $0.names = 1000 }
        #expect(PlayedBucket.error { try server.files(of: bucket.circle) }?.code == .tooMany)
        #expect(try bucket.web.requests().count == 18)
    }

    @Test func moreKeysThanACircleHasAreNotTaken() throws {
        let fixture = try PlayedBucket(.init(200))
        let keys = try (UInt64(1)...11).map { "pre/fix/\(try fixture.segment($0).text)" }
        let bucket = try PlayedBucket(PlayedBucket.page(keys))
        let (few, enough) = (try bucket.server { $0.names = 10 }, try bucket.server { $0.names = 11 })
        #expect(PlayedBucket.error { try few.files(of: bucket.circle) }?.code == .tooMany)
        #expect(try enough.files(of: bucket.circle).count == 11)
    }

    /// A page has room for 400 keys of 18 KB, and a list for 216 pages.
    @Test func aKeyThatIsLongerThanS3HasIsNone() throws {
        let lengths: [(Int, StoreError.Code?)] = [(1024, nil), (1025, .notUnderstood)]
        for (length, code) in lengths {
            let key = "pre/fix/" + String(repeating: "x", count: length - 8)
            for page in [PlayedBucket.page([key]), PlayedBucket.page([], folders: [key])] {
                let bucket = try PlayedBucket(page)
                let server = try bucket.server()
                #expect(PlayedBucket.error { try server.files(of: bucket.circle) }?.code == code, "\(length)")
            }
        }
    }

    @Test func namesThatNoMemberWritesAreLeftOut() throws {
        let circle = String(repeating: "ab", count: 32)
        let names = [
            "\(circle)/../x", "\(circle)/heads/x", "\(circle)/HEADS/\(circle)", "\(circle)//beacon", circle,
            "\(circle)/",
        ]
        let bucket = try PlayedBucket(
            PlayedBucket.page(names.map { "pre/fix/\($0)" } + ["elsewhere/\(circle)/beacon", "/"]))
        #expect(try bucket.server().files(of: bucket.circle).isEmpty)
    }

    @Test func aBombAndOtherDocumentsAreNoList() throws {
        for body in [
            "<!DOCTYPE a [<!ENTITY e \"x\">]><ListBucketResult>&e;</ListBucketResult>", "<html/>", "", "{}",
            String(repeating: "<ListBucketResult>", count: 100),
        ] {
            let bucket = try PlayedBucket(.init(200, body: body))
            let server = try bucket.server()
            #expect(
                PlayedBucket.error { try server.files(of: bucket.circle) }?.code == .notUnderstood, "\(body.prefix(20))"
            )
        }
    }

    @Test func aFileThatIsTooLongIsNotRead() throws {
        let long = String(repeating: "x", count: 65)
        let bucket = try PlayedBucket(.init(200, body: long))
        let server = try bucket.server()
        #expect(PlayedBucket.error { try server.read(.beacon(circle: bucket.circle), unless: nil) }?.code == .tooLarge)
        let endless = try PlayedBucket(.init(raw: Array("HTTP/1.1 200 X\r\n\r\nx".utf8), .endless))
        let other = try endless.server()
        #expect(PlayedBucket.error { try other.read(endless.head, unless: nil) }?.code == .notUnderstood)
    }

    /// A server cannot say that something is as it was before anybody knew it.
    @Test func whatWasNeverReadIsNotUnchanged() throws {
        let bucket = try PlayedBucket(.init(304))
        let server = try bucket.server()
        #expect(PlayedBucket.error { try server.read(bucket.head, unless: nil) }?.code == .notUnderstood)
    }

    /// A tag goes back to the server as it came. One with a line break would be a header of its own.
    @Test func aTagThatIsNoneIsForgotten() {
        for tag in ["", "a\r\nX: y", "ü", String(repeating: "x", count: 257), "a b"] {
            #expect(S3Server.tag(tag) == nil)
        }
        #expect(S3Server.tag("W/\"x\"") == "W/\"x\"" && S3Server.tag(nil) == nil)
    }
}

/// Keys, waiting and refusals, the same for each server.
@Suite struct RemoteConnectionTests {
    private static let refused = PlayedBucket.refusal(403, "InvalidAccessKeyId")

    @Test func theFormerKeysAreTriedWhenThePresentOnesAreRefused() throws {
        let bucket = try PlayedBucket(Self.refused, .init(200, body: "x"), .init(200, body: "y"))
        let server = try bucket.server(keys: 2)
        #expect(!server.usesFormer)
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("x".utf8), tag: nil))
        #expect(server.usesFormer)
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("y".utf8), tag: nil))
        let used = try bucket.web.requests().map { String(($0.headers["authorization"] ?? "").prefix(36)) }
        #expect(used.map { $0.contains("KEY-pre") } == [true, false, false])
        #expect(used.map { $0.contains("KEY-for") } == [false, true, true])
    }

    @Test func afterBothWereRefusedThePresentOnesAreNext() throws {
        let bucket = try PlayedBucket(Self.refused, Self.refused, .init(200, body: "x"))
        let server = try bucket.server(keys: 2)
        #expect(PlayedBucket.error { try server.read(bucket.head, unless: nil) }?.code == .refused)
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("x".utf8), tag: nil))
        #expect(
            try bucket.web.requests().map { $0.headers["authorization"]?.contains("KEY-pre") } == [true, false, true])
    }

    /// Other keys do not help against a clock.
    @Test func aClockIsNoReasonForOtherKeys() throws {
        let bucket = try PlayedBucket(
            PlayedBucket.refusal(403, "RequestTimeTooSkewed", [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]))
        let server = try bucket.server(keys: 2)
        let error = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
        #expect(error?.code == .clock && error?.description.contains("days ahead of the clock") == true)
        #expect(try bucket.web.requests().count == 1)
    }

    @Test func aMissingBucketIsNoEmptyOne() throws {
        let bucket = try PlayedBucket(PlayedBucket.refusal(404, "NoSuchBucket"))
        let server = try bucket.server()
        for body in [{ _ = try server.read(bucket.head, unless: nil) }, { _ = try server.files(of: bucket.circle) }] {
            let error = PlayedBucket.error(body)
            #expect(error?.code == .missing && error?.remote?.word == "NoSuchBucket")
        }
    }

    @Test(arguments: [423, 429, 500, 503])
    func aPersonWaitsForABusyServerAndIsTold(_ status: Int) throws {
        let bucket = try PlayedBucket(.init(status), .init(status, [("Retry-After", "1")]), .init(200, body: "x"))
        let told = bucket.told
        let server = try bucket.server(patience: .foreground { line in told.change { $0.append(line) } })
        #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("x".utf8), tag: nil))
        #expect(
            told.now.count == 2 && told.now.allSatisfy { $0.contains("status \(status)") && $0.contains("s3://name") })
    }

    /// The service comes back later, as its plan says.
    @Test func aServiceDoesNotWait() throws {
        let bucket = try PlayedBucket(.init(503, [("Retry-After", "77")]))
        let server = try bucket.server()
        let error = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
        #expect(error?.code == .busy && error?.remote?.retryAfter == 77)
        #expect(try bucket.web.requests().count == 1)
    }

    @Test(arguments: [(507, StoreError.Code.full), (405, .readOnly), (301, .moved), (400, .notUnderstood)])
    func whatDoesNotPassIsNotWaitedFor(_ status: Int, _ code: StoreError.Code) throws {
        let bucket = try PlayedBucket(.init(status))
        let server = try bucket.server(patience: .foreground { _ in Issue.record("it waits") })
        #expect(PlayedBucket.error { try server.write([1], to: bucket.head) }?.code == code)
    }

    @Test func noErrorHoldsWhatOpensTheStore() throws {
        for answer in [Self.refused, .init(500), .init(301), .init(200, body: "<x/>"), .init(raw: [])] {
            let bucket = try PlayedBucket(answer)
            let server = try bucket.server(keys: 2)
            guard let error = PlayedBucket.error({ try server.files(of: bucket.circle) }) else {
                #expect(Bool(false))
                continue
            }
            for secret in PlayedBucket.secrets + ["KEY-"] {
                #expect(!error.description.contains(secret) && !String(reflecting: error).contains(secret))
            }
        }
        let keys = try PlayedBucket(.init(200)).keys()
        #expect(!String(reflecting: keys).contains(PlayedBucket.secrets[0]))
    }
}
