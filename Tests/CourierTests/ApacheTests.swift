import Authorization
import Circle
import Cryptography
import Foundation
import Glibc
import HTTP
import Platform
import TestSupport
import Testing

@testable import Courier

struct ApacheFailure: Error {
    let said: [String]
}

/// Apache with WebDAV on this machine, ended with this value. It serves as somebody who is not root.
final class Apache {
    static let program = "/usr/sbin/apache2"
    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: program) && FileManager.default.fileExists(atPath: modules)
    }
    private static let modules = "/usr/lib/apache2/modules/mod_dav_fs.so"
    static let password = "a: pass"

    private let folder: TemporaryFolder
    private var process: Subprocess?
    let port: UInt16
    var data: String { folder.path + "/data" }
    var address: String { "http://127.0.0.1:\(port)" }

    init() throws {
        folder = try TemporaryFolder()
        // A port that is free now. Another program may take it before Apache does, which the test then says.
        let web = try ScriptedServer([.init(200)])
        port = web.port
        try web.stop()
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        var owner = ""
        if geteuid() == 0 {
            owner = "User nobody\nGroup nogroup\n"
            try Tool.output("chown", ["-R", "nobody:nogroup", folder.path])
        }
        let hash = try Tool.output("openssl", ["passwd", "-apr1", Self.password])
        try Data("me:\(hash)".utf8).write(to: URL(filePath: folder.path + "/passwords"))
        let names = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav", "dav_fs",
        ]
        let lines =
            names.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
            + [
                "\(owner)ServerName 127.0.0.1", "Listen 127.0.0.1:\(port)", "ServerRoot \(folder.path)",
                "DefaultRuntimeDir \(folder.path)", "PidFile pid", "ErrorLog errors", "DavLockDB locks",
                "DocumentRoot \(data)", "<Directory \(data)>", "Dav On", "AuthType Basic", "AuthName x",
                "AuthUserFile \(folder.path)/passwords", "Require valid-user", "</Directory>",
            ]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder.path + "/conf"))
        if geteuid() == 0 { try Tool.output("chmod", ["-R", "a+rX", folder.path]) }
        try start()
    }

    func start() throws {
        let process = try Subprocess(Self.program, ["-f", folder.path + "/conf", "-DFOREGROUND"]) { [folder] in
            $0.errors = .file(folder.path + "/said")
        }
        self.process = process
        // It answers once it is there. Until then nobody listens.
        let end = ContinuousClock.now + patience
        while true {
            do {
                var client = try HTTPClient()
                _ = try client.send(HTTPRequest(.get, HTTPAddress(address), limit: 1 << 16))
                return
            } catch {
                guard try process.wait(until: .now + .milliseconds(50)) == nil, ContinuousClock.now < end else {
                    // `try?`: it may have said nothing.
                    let said = ["said", "errors"].map {
                        (try? String(contentsOfFile: folder.path + "/\($0)", encoding: .utf8)) ?? ""
                    }
                    throw ApacheFailure(said: said)
                }
            }
        }
    }

    func stop() throws {
        // So that it takes its own processes along.
        process?.signal(SIGTERM)
        try process?.finish()
        process = nil
    }

    func store(
        password: String = Apache.password, former: String? = nil, path: String = ""
    ) throws -> RemoteStore {
        let keys = try ([password] + [former].compactMap { $0 }).map {
            RemoteKeys(name: "me", secret: try SecretBytes(copying: Array($0.utf8)))
        }
        return RemoteStore(.folder(try HTTPAddress(address + path)), .keys(keys), patience: .none)
    }
}

/// A real WebDAV server: Apache's.
@Suite(.enabled(if: Apache.isInstalled, "apache2-bin is not installed"))
struct ApacheTests {
    @Test func aStoreKeepsWhatIsWritten() throws {
        let apache = try Apache()
        let fixture = try StoreFixture()
        let store = try apache.store()
        #expect(try store.probe().isEmpty && store.circles().isEmpty && !store.holds(fixture.circle))
        for (index, path) in try fixture.paths().enumerated() {
            #expect(try store.read(path) == nil)
            try store.write([UInt8(index)], to: path)
            #expect(try store.read(path) == [UInt8(index)])
            try store.write([UInt8(index), 1], to: path)
            #expect(try store.read(path) == [UInt8(index), 1])
        }
        let large = try fixture.segment(2000)
        let bytes = (0..<path(large)).map { UInt8(truncatingIfNeeded: $0) }
        try store.write(bytes, to: large)
        #expect(try store.read(large) == bytes)
        // Another machine.
        let other = try apache.store(path: "/")
        #expect(try other.circles() == [fixture.circle] && other.holds(fixture.circle))
        #expect(try other.heads(of: fixture.circle) == [fixture.device])
        #expect(try other.segments(of: fixture.circle, device: fixture.device) == [fixture.segment(1), large])
        #expect(try other.knocks(of: fixture.circle) == [fixture.knock(1)])
        for path in try fixture.paths() {
            try store.remove(path)
            try store.remove(path)
            #expect(try store.read(path) == nil)
        }
        // Nothing of the trial is left, and nothing outside of the circle and the requests was made.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: apache.data).sorted() == [
                Hex.encode(fixture.circle.bytes), "join",
            ])
    }

    private func path(_ path: StorePath) -> Int { path.limit }

    @Test func nothingNewIsAnAnswerWithoutABody() throws {
        let apache = try Apache()
        let fixture = try StoreFixture()
        try apache.store().write([1, 2, 3], to: .beacon(circle: fixture.circle))
        let server = WebDAVServer(
            try HTTPAddress(apache.address),
            .keys([RemoteKeys(name: "me", secret: try SecretBytes(copying: Array(Apache.password.utf8)))]),
            patience: .none)
        guard case .bytes([1, 2, 3], let tag?) = try server.read(.beacon(circle: fixture.circle), unless: nil) else {
            return #expect(Bool(false))
        }
        #expect(try server.read(.beacon(circle: fixture.circle), unless: tag) == .unchanged)
        try apache.store().write([4, 5], to: .beacon(circle: fixture.circle))
        guard case .bytes([4, 5], _) = try server.read(.beacon(circle: fixture.circle), unless: tag) else {
            return #expect(Bool(false))
        }
    }

    @Test func aWrongPasswordIsRefusedAndTheFormerOneIsTried() throws {
        let apache = try Apache()
        let fixture = try StoreFixture()
        let wrong = try apache.store(password: "wrong")
        for body in [
            { _ = try wrong.probe() }, { try wrong.write([1], to: fixture.segment(1)) }, { _ = try wrong.circles() },
        ] {
            #expect(PlayedBucket.error(body)?.code == .refused)
        }
        let both = try apache.store(password: "wrong", former: Apache.password)
        try both.write([1], to: fixture.segment(1))
        #expect(try both.read(fixture.segment(1)) == [1] && both.usesFormer)
    }

    @Test func aMissingFolderIsNotMade() throws {
        let apache = try Apache()
        let store = try apache.store(path: "/none")
        #expect(PlayedBucket.error { try store.probe() }?.code == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: apache.data).isEmpty)
    }

    /// Killed, started again, emptied, and put back. What was written is not lost by any of that.
    @Test func aServerThatComesBackIsUsedAgain() throws {
        let apache = try Apache()
        let fixture = try StoreFixture()
        let store = try apache.store()
        let path = try fixture.segment(1)
        try store.write([1], to: path)
        try store.write([7], to: .beacon(circle: fixture.circle))
        try apache.stop()
        for body in [{ _ = try store.read(path) }, { try store.write([2], to: path) }, { _ = try store.circles() }] {
            #expect(PlayedBucket.error(body)?.code == .unreachable)
        }
        try apache.start()
        #expect(try store.read(path) == [1])
        let place = "\(apache.data)/\(Hex.encode(fixture.circle.bytes))"
        try FileManager.default.moveItem(atPath: place, toPath: place + "-aside")
        _ = try store.refresh()
        #expect(try !store.holds(fixture.circle) && store.segments(of: fixture.circle, device: fixture.device).isEmpty)
        try FileManager.default.moveItem(atPath: place + "-aside", toPath: place)
        _ = try store.refresh()
        #expect(try store.holds(fixture.circle))
        #expect(try store.segments(of: fixture.circle, device: fixture.device) == [path])
    }

    /// A folder that the server may not write to, and one that has no room.
    @Test func whatCannotBeWrittenIsNamed() throws {
        let apache = try Apache()
        let fixture = try StoreFixture()
        try Tool.output("chmod", ["a-w", apache.data])
        let store = try apache.store()
        // Apache does not tell why. It is no success, and what was read stays readable.
        #expect(PlayedBucket.error { try store.write([1], to: fixture.segment(1)) } != nil)
        #expect(try store.read(fixture.segment(1)) == nil)
    }
}
