import Foundation
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// Files that decide over signatures, in the hands of another account. The modes are good, and root could read each of them all the same.
@Suite(.enabled(if: geteuid() == 0, "only root can give files away")) struct ForeignFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter uid: by default an account that has no part in Coffer.
    private func give(_ path: String, to uid: UInt32 = 65_534) throws {
        let result = unsafe chown(path, uid, uid)
        try #require(result == 0)
    }

    @Test func aSigningKeyOfAnotherAccountIsNotUsed() throws {
        let made = try SigningKey(directory: folder.path)
        let path = SigningKey.path(in: folder.path)
        try give(path)
        #expect(throws: ConversationError.self) { try SigningKey(directory: folder.path) }
        #expect(throws: ConversationError.self) { try SigningKey(file: path) }
        // No other key has taken its place.
        try give(path, to: 0)
        #expect(try SigningKey(directory: folder.path).publicKey == made.publicKey)
    }

    @Test func aKeyOfChallengesOfAnotherAccountIsNotUsed() throws {
        _ = try ChallengeKey(directory: folder.path)
        try give("\(folder.path)/challenge-key")
        #expect(throws: ConversationError.self) { try ChallengeKey(directory: folder.path) }
    }

    /// Answers, leases and prompts are kept in such files.
    @Test func stateOfAnotherAccountIsNotBelieved() throws {
        let state = try StateFile(registryDirectory: folder.path, folder: "count", uid: 7, nothing: 0)
        try state.update { $0 = 5 }
        let path = "\(folder.path)/count/7.json"
        try give(path)
        #expect(throws: SystemError.self) { try state.update { $0 } }
        try give(path, to: 0)
        #expect(try state.update { $0 } == 5)
    }

    @Test func aListOfMachinesOfAnotherAccountIsNotRead() throws {
        let path = "\(folder.path)/machines"
        try DurableFile.write(Array("# none yet\n".utf8), to: path, mode: 0o644)
        _ = try MachineList(path)
        try give(path)
        #expect(throws: ConversationError.self) { try MachineList(path) }
        try give(path, to: 0)
        // Each right of others by itself.
        for mode in [0o664, 0o646] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: ConversationError.self, "\(mode)") { try MachineList(path) }
        }
    }

    @Test func fingersInTheFolderOfAnotherAccountAreNotBelieved() throws {
        try Folder.make("\(folder.path)/ada", mode: 0o700)
        try DurableFile.write(Array("thumb".utf8), to: "\(folder.path)/ada/1", mode: 0o600)
        let set = TemplateSet(directory: folder.path, user: "ada", owner: 0)
        #expect(try set.digest() != nil)
        try give("\(folder.path)/ada")
        #expect(throws: BiometryObstacle.self) { try set.digest() }
    }

    /// What the program says of a configuration. It ends in each case, because no connection was passed to it.
    private func said(of configuration: String) throws -> String {
        let process = try Subprocess(Fixture.program, ["--config", configuration]) { $0.errors = .pipe }
        let said = try process.readText()
        #expect(try process.finish() != 0)
        return said
    }

    @Test func aConfigurationOfAnotherAccountIsNotRead() throws {
        let path = "\(folder.path)/coffer.conf"
        let text = "sandbox = yes\nauth-socket = \(folder.path)/auth.sock\nregistry-directory = \(folder.path)\n"
        try DurableFile.write(Array(text.utf8), to: path, mode: 0o644)
        #expect(try said(of: path).contains("No connection was passed"))
        try give(path)
        #expect(try said(of: path).contains("may change it"))
        try give(path, to: 0)
        for mode in [0o664, 0o646] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(try said(of: path).contains("may change it"), "\(mode)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(try said(of: path).contains("No connection was passed"))
        #expect(try said(of: path + ".missing").contains("must be there"))
    }
}

/// The folder of one user's fingers itself. TemplateSetTests has what is in it.
@Suite struct TemplateFolderTests {
    private let storage: TemporaryFolder
    private var folder: String { storage.path + "/ada" }

    init() throws {
        storage = try TemporaryFolder()
        try Folder.make(storage.path + "/ada", mode: 0o700)
        try DurableFile.write(Array("thumb".utf8), to: storage.path + "/ada/1", mode: 0o600)
    }

    private func digest() throws -> [UInt8]? {
        try TemplateSet(directory: storage.path, user: "ada", owner: geteuid()).digest()
    }

    /// Who may write there adds a finger.
    @Test(arguments: [0o720, 0o770, 0o702, 0o707]) func nobodyElseMayWriteThere(mode: Int) throws {
        #expect(try digest() != nil)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        #expect(throws: BiometryObstacle.self) { try digest() }
    }

    @Test func aLinkInItsPlaceIsRefused() throws {
        let elsewhere = storage.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
        #expect(throws: BiometryObstacle.self) { try digest() }
    }
}

/// A file of `former-keys` says by its name which key it has.
@Suite struct FormerKeyTests {
    @Test func anotherKeyUnderAFormerKeysNameSignsNothing() throws {
        let folder = try TemporaryFolder()
        let keys = try SigningKeys(directory: folder.path)
        let former = keys.present.publicKey
        try keys.renew()
        let account = try #require(try Account.withUID(geteuid()))
        let record = try Fixture.newRecord(account, key: former)
        let renewed = try SigningKeys(directory: folder.path)
        #expect(try renewed.key(for: record)?.publicKey == former)
        try SigningKey.generate().write(to: SigningKey.formerPath(of: former, in: folder.path))
        #expect(throws: ConversationError.self) { try renewed.key(for: record) }
    }
}
