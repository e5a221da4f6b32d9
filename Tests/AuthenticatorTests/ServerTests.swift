import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@Suite("What the server refuses to start with")
struct ServerTests {
    /// Runs the server and returns its exit code and output; 124 if it went on to serve.
    private func run(_ path: String, asNobody: Bool = false) throws -> (code: Int32, said: String) {
        var program = Fixture.program
        if asNobody {
            // The package may be in a folder that nobody else can enter.
            program = "\(path)/coffer-authenticator"
            try Tool.output("install", [Fixture.program, program])
        }
        let command = ["/usr/bin/timeout", "120", program, "serve", "--config", "\(path)/coffer.conf"]
        let prefix = asNobody && geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=2", "--regid=2", "--clear-groups"] : []
        let words = prefix + command
        let process = try Subprocess(words[0], Array(words.dropFirst())) { $0.errors = .pipe }
        let said = try process.readText()
        return (try process.finish(), said)
    }

    private func folder(_ configuration: String) throws -> String {
        let path = NSTemporaryDirectory() + "coffer-server-" + UUID().uuidString.prefix(13)
        try Folder.make(path, mode: 0o755)
        let text = "auth-socket = \(path)/auth.sock\nregistry-directory = \(path)\n\(configuration)\n"
        try DurableFile.write(Array(text.utf8), to: "\(path)/coffer.conf", mode: 0o644)
        return path
    }

    @Test func onlyASandboxDoesWithoutRoot() throws {
        let path = try folder("sandbox = no")
        defer { try? FileManager.default.removeItem(atPath: path) }  // Nothing is lost when it stays behind.
        let result = try run(path, asNobody: true)
        #expect(result.code != 0 && result.code != 124)
        #expect(result.said.contains("must run as root"))
    }

    @Test func aConfigurationThatOthersMayChangeIsRefused() throws {
        let path = try folder("sandbox = yes")
        defer { try? FileManager.default.removeItem(atPath: path) }  // Nothing is lost when it stays behind.
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: "\(path)/coffer.conf")
        let result = try run(path)
        #expect(result.code != 0 && result.code != 124)
        #expect(result.said.contains("may change it"))
    }

    @Test func aConversationNeedsAConnection() throws {
        let path = try folder("sandbox = yes")
        defer { try? FileManager.default.removeItem(atPath: path) }  // Nothing is lost when it stays behind.
        let process = try Subprocess(Fixture.program, ["--config", "\(path)/coffer.conf"]) { $0.errors = .pipe }
        let said = try process.readText()
        #expect(try process.finish() != 0)
        #expect(said.contains("No connection was passed"))
    }
}
