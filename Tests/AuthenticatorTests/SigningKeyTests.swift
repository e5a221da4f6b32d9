import BrokerProtocol
import Foundation
import Platform
import Testing
import Varlink

@testable import Authenticator

@Suite("The signing key is the authenticator's alone")
struct SigningKeyTests {
    @Test func itIsMadeOnceAndKept() throws {
        let folder = NSTemporaryDirectory() + "coffer-key-" + UUID().uuidString
        try Folder.make(folder, mode: 0o755)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost when it stays behind.
        let first = try SigningKey(directory: folder)
        let status = try FileStatus.of("\(folder)/signing-key.pem")
        #expect(status?.mode == 0o600)
        #expect(try SigningKey(directory: folder).publicKey == first.publicKey)
    }

    @Test(arguments: [0o700, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601])
    func aFileThatOthersMayReadIsRefused(mode: Int) throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: "\(path)/registry/signing-key.pem")
            }))
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationMisconfigured)
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func aDamagedFileIsNotReplaced() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                try DurableFile.write(Array("damaged".utf8), to: "\(path)/registry/signing-key.pem", mode: 0o600)
            }))
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationMisconfigured)
        #expect(try DurableFile.read("\(fixture.path)/registry/signing-key.pem", limit: 100) == Array("damaged".utf8))
    }

    @Test func aLinkIsNotFollowed() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                let key = "\(path)/registry/signing-key.pem"
                try FileManager.default.moveItem(atPath: key, toPath: "\(path)/elsewhere.pem")
                try FileManager.default.createSymbolicLink(atPath: key, withDestinationPath: "\(path)/elsewhere.pem")
            }))
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationMisconfigured)
    }
}
