import Authorization
import Circle
import HTTP
import TestSupport
import Testing

@testable import Courier

/// Attacker 10 keeps the store. Each kind of store has the limits that a folder has.
@Suite struct StoreListingLimitTests {
    private static func limits(_ change: (inout CourierLimits) -> Void) -> CourierLimits {
        var limits = CourierLimits()
        change(&limits)
        return limits
    }

    /// The folders of three circles.
    private static let circles = ["01", "02", "03"].map { String(repeating: $0, count: StatementName.count) }

    @Test func aBucketHasSoManyCircles() throws {
        let bucket = try PlayedBucket(PlayedBucket.page([], folders: Self.circles.map { "pre/fix/\($0)/" }))
        let (few, enough) = (try bucket.server { $0.circles = 2 }, try bucket.server { $0.circles = 3 })
        #expect(PlayedBucket.error { try few.circles() }?.code == .tooMany)
        #expect(try enough.circles().count == 3)
    }

    /// What is left out has been read all the same.
    @Test func aKeyThatIsNoMembersCountsToo() throws {
        let circle = Hex.encode(try StoreFixture.circle(0xAB).bytes)
        let bucket = try PlayedBucket(PlayedBucket.page((1...11).map { "pre/fix/\(circle)/junk\($0)" }))
        let (few, enough) = (try bucket.server { $0.names = 10 }, try bucket.server { $0.names = 11 })
        #expect(PlayedBucket.error { try few.files(of: bucket.circle) }?.code == .tooMany)
        #expect(try enough.files(of: bucket.circle).isEmpty)
    }

    @Test func aFolderOfWebDAVHasSoManyCircles() throws {
        let responses = (["/dav/"] + Self.circles.map { "/dav/\($0)/" }).map {
            "<D:response><D:href>\($0)</D:href><D:propstat><D:prop/></D:propstat></D:response>"
        }
        let body = "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
        let web = try ScriptedServer([.init(207, body: body)])
        func server(circles: Int) throws -> WebDAVServer {
            WebDAVServer(
                try HTTPAddress(web.address + "/dav"), .keys([]), patience: .none,
                limits: Self.limits { $0.circles = circles })
        }
        let (few, enough) = (try server(circles: 2), try server(circles: 3))
        #expect(PlayedBucket.error { try few.circles() }?.code == .tooMany)
        #expect(try enough.circles().count == 3)
    }

    @Test func aServerHasSoManyFilesAndDevices() throws {
        let exchange = try ExchangeFixture()
        let server = PlayedRemote()
        for byte in UInt8(1)...3 { server.put([byte], exchange.head(try ExchangeFixture.device(byte))) }
        func count(names: Int, devices: Int) throws -> Int {
            let limits = Self.limits { ($0.names, $0.devices) = (names, devices) }
            return try RemoteStore("s3://x", server, limits: limits).heads(of: exchange.circle).count
        }
        #expect(try count(names: 3, devices: 3) == 3)
        #expect(PlayedBucket.error { try count(names: 2, devices: 3) }?.code == .tooMany)
        #expect(PlayedBucket.error { try count(names: 3, devices: 2) }?.code == .tooMany)
    }

    @Test func aCommitHasSoManyCirclesAndDevices() throws {
        let git = try GitFixture()
        let desk = try git.clone("desk")
        let circle = git.store.circle
        var files: [StorePath: [UInt8]] = [:]
        for byte in UInt8(1)...3 {
            let (other, device) = (try StoreFixture.circle(byte), try ExchangeFixture.device(byte))
            files[.beacon(circle: other)] = [byte]
            files[.head(circle: circle, device: device)] = [byte]
        }
        try git.run(desk, files)
        // The fourth circle is that of the heads.
        let few = try git.store(desk, limits: Self.limits { ($0.circles, $0.devices) = (3, 2) })
        let enough = try git.store(desk, limits: Self.limits { ($0.circles, $0.devices) = (4, 3) })
        #expect(PlayedBucket.error { try few.circles() }?.code == .tooMany)
        #expect(PlayedBucket.error { try few.heads(of: circle) }?.code == .tooMany)
        #expect(try enough.circles().count == 4 && enough.heads(of: circle).count == 3)
    }
}
