import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Root sets a vault aside. Its record moves, and nothing is lost or replaced.
@Suite(.timeLimit(.minutes(30)))
struct SetAsideTests {
    private static let stamp = "2026-01-02T030405Z"

    private static func ask(
        _ fixture: Fixture, owner: String? = nil, stamp: String = Self.stamp
    ) throws -> Result<BrokerProtocol.Authentication.SetAside.Reply, Fault> {
        var client = try fixture.client()
        return try client.call(
            BrokerProtocol.Authentication.SetAside(owner: owner ?? fixture.record.owner.text, stamp: stamp))
    }

    @Test func theRecordMovesAsItIs() throws {
        let fixture = try Fixture()
        let content = try DurableFile.read(
            fixture.registry.path(of: fixture.record.owner), limit: Registry.longestRecord)
        let path = try #require(try Self.ask(fixture).get().record)
        #expect(path.hasPrefix(fixture.registry.setAsideDirectory + "/"))
        #expect(try DurableFile.read(path, limit: Registry.longestRecord) == content)
        #expect(try fixture.registry.record(for: fixture.record.owner) == nil)
        #expect(try fixture.registry.setAsideRecords() == [fixture.record])
        // What an interruption left is completed, and there is no more to do.
        #expect(try Self.ask(fixture).get().record == nil)
    }

    @Test func aRecordThatWasSetAsideIsNeverReplaced() throws {
        let fixture = try Fixture()
        let first = try #require(try Self.ask(fixture).get().record)
        try fixture.registry.write(fixture.record)
        #expect(throws: Fault.self) { try Self.ask(fixture).get() }
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
        #expect(try FileStatus.of(first) != nil)
    }

    @Test(arguments: ["", "..", "../x", "a/b", String(repeating: "1", count: 33)])
    func noTimeLeadsElsewhere(stamp: String) throws {
        let fixture = try Fixture()
        #expect(throws: Fault.self) { try Self.ask(fixture, stamp: stamp).get() }
        #expect(throws: Fault.self) { try Self.ask(fixture, owner: "user:1/../2").get() }
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
    }

    @Test func aTimeHasPlainCharactersOnly() {
        for stamp in ["0", "9", "A", "Z", "-", String(repeating: "1", count: 32)] {
            #expect(SetAsideVault.isStamp(stamp), "\(stamp)")
        }
        for stamp in ["", "/", ":", "@", "[", "a", ".", ",", String(repeating: "1", count: 33)] {
            #expect(!SetAsideVault.isStamp(stamp), "\(stamp)")
        }
    }

    /// A folder of vaults in which the broker has set one aside, with what a crash left beside it.
    private static func fixture(
        isService: Bool = false, madeFor ownerName: String? = nil
    ) throws -> (Fixture, TemporaryFolder, name: String) {
        let vaults = try TemporaryFolder()
        let fixture = try Fixture(
            .init(
                settings: "vault-directory = \(vaults.path)",
                changeRecord: { record in
                    RegistryRecord(
                        vault: record.vault, owner: record.owner, ownerName: ownerName ?? record.ownerName,
                        created: record.created, sealer: record.sealer, authenticatorKey: record.authenticatorKey,
                        storageKey: nil, objects: record.objects, isService: isService)
                }))
        try Folder.make("\(vaults.path)/set-aside", mode: 0o700)
        let name = "\(fixture.record.owner.fileStem).\(stamp).vault"
        for (suffix, text) in [("", "vault"), ("-wal", "log")] {
            try DurableFile.write(
                Array(text.utf8), to: "\(vaults.path)/set-aside/\(name)\(suffix)", mode: 0o600)
        }
        return (fixture, vaults, name)
    }

    @Test func theOwnerGetsACopyOfTheFileAndOfWhatACrashLeft() throws {
        let (fixture, vaults, name) = try Self.fixture()
        let copy = try #require(try Self.ask(fixture).get().copy)
        #expect(copy == "\(fixture.registry.setAsideDirectory)/\(name)")
        #expect(try DurableFile.read(copy, limit: 100) == Array("vault".utf8))
        #expect(try DurableFile.read(copy + "-wal", limit: 100) == Array("log".utf8))
        #expect(try FileStatus.of("\(vaults.path)/set-aside/\(name)") != nil)
    }

    /// It has no recovery code, so a copy is of no use.
    @Test func aServicesVaultIsNotCopied() throws {
        let (fixture, vaults, name) = try Self.fixture(isService: true)
        let reply = try Self.ask(fixture).get()
        #expect(reply.record != nil && reply.copy == nil)
        #expect(try FileStatus.of("\(fixture.registry.setAsideDirectory)/\(name)") == nil)
        #expect(try FileStatus.of("\(vaults.path)/set-aside/\(name)") != nil)
    }

    /// The number may have passed on to another person, who must not get the former one's file.
    @Test func anAccountOfAnotherNameGetsNoCopy() throws {
        let (fixture, vaults, name) = try Self.fixture(madeFor: "former")
        // An interrupted call is made again when the record has moved already.
        for isMoved in [false, true] {
            let reply = try Self.ask(fixture).get()
            #expect((reply.record == nil) == isMoved && reply.copy == nil, "\(reply)")
            #expect(try FileStatus.of("\(fixture.registry.setAsideDirectory)/\(name)") == nil)
        }
        #expect(try FileStatus.of("\(vaults.path)/set-aside/\(name)") != nil)
    }

    /// Nothing was set aside here before, and root must not be left with half of it.
    @Test func withoutARecordThereIsNoCopyAndNoError() throws {
        let (fixture, vaults, name) = try Self.fixture()
        try FileManager.default.removeItem(atPath: fixture.registry.path(of: fixture.record.owner))
        for _ in 0..<2 {
            let reply = try Self.ask(fixture).get()
            #expect(reply.record == nil && reply.copy == nil, "\(reply)")
        }
        #expect(try FileStatus.of("\(vaults.path)/set-aside/\(name)") != nil)
    }

    /// A taken-over broker leads to another file of the machine.
    @Test(arguments: ["", "-wal"]) func aLinkIsNotCopiedAndTheOwnerIsToldWhatToDo(suffix: String) throws {
        let (fixture, vaults, name) = try Self.fixture()
        let path = "\(vaults.path)/set-aside/\(name)\(suffix)"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        let fault = try #require(try Self.ask(fixture).fault)
        #expect(fault.name == .notCompleted && fault.details.advice?.contains("copy it by hand") == true, "\(fault)")
        #expect(try FileStatus.of("\(fixture.registry.setAsideDirectory)/\(name)\(suffix)") == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func onlyRootMayAsk() throws {
        let fixture = try Fixture()
        let call = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
            s.send(sys.argv[2].encode() + b'\\0'); print(s.recv(4096).decode())
            """
        let text =
            #"{"method":"org.coffer.Authentication.SetAside","parameters":{"owner":"\#(fixture.record.owner.text)","stamp":"\#(Self.stamp)"}}"#
        let answer = try Command(
            [
                "/usr/bin/setpriv", "--reuid=1", "--regid=1", "--clear-groups", "/usr/bin/python3", "-c", call,
                "\(fixture.path)/auth.sock", text,
            ], input: "")
        #expect(answer.output.contains("Failed") && answer.output.contains("denied"), "\(answer.output)")
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
    }
}
