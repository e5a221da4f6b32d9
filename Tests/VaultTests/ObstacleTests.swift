import Authorization
import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Something is in the way of a vault's files. Each step says so, and the one after it is not taken.
struct ObstacleTests {
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    private var directory: String { fixture.folder.path }
    private var owner: Owner { fixture.record.owner }
    private var newPath: String { VaultFile.newPath(of: owner, in: directory) }
    private var successorPath: String { VaultFile.successorPath(of: owner, in: directory) }
    private var logPath: String { VaultFile.logPath(of: owner, in: directory) }
    private var notePath: String { VaultFile.successionPath(of: owner, in: directory) }

    /// A folder that is not empty is neither removed nor replaced as a file would be.
    private func block(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/something", withIntermediateDirectories: true)
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func adoption(of record: RegistryRecord) -> VaultError.Code? {
        vaultError { try VaultFile.adopt(directory: directory, record: record) }
    }

    /// Another vault's file in the place of this one's successor. The vault itself has its name, and is closed.
    private func placeSuccessor() throws -> RegistryRecord {
        try fixture.open().close()
        let next = try VaultFixture(owner: owner)
        try FileManager.default.moveItem(atPath: next.path + ".new", toPath: successorPath)
        return next.record
    }

    /// What an earlier attempt has left, and cannot be removed.
    @Test func aVaultIsNotMadeOverRemains() throws {
        try block(newPath + "-shm")
        let (keys, record) = (fixture.keys, fixture.record)
        func making() -> VaultError.Code? {
            vaultError { try VaultFile.create(directory: directory, keys: keys, record: record) }
        }
        #expect(making() == .storage)
        try remove(newPath + "-shm")
        #expect(making() == nil && exists(newPath))
        try block(successorPath + "-shm")
        func makingNext() -> VaultError.Code? {
            vaultError { try VaultFile.createSuccessor(directory: directory, keys: keys, record: record) }
        }
        #expect(makingNext() == .storage)
        try remove(successorPath + "-shm")
        #expect(makingNext() == nil && exists(successorPath))
    }

    @Test func aNewFileIsNotTakenUpBesideRemains() throws {
        try block(fixture.path + "-shm")
        #expect(adoption(of: fixture.record) == .storage)
        #expect(exists(newPath) && !exists(fixture.path))
        try remove(fixture.path + "-shm")
        #expect(adoption(of: fixture.record) == nil)
        #expect(exists(fixture.path) && !exists(newPath))
    }

    /// What it leads to can be exchanged at any time (attacker 5).
    @Test func aLinkIsNoNewFile() throws {
        let elsewhere = directory + "/elsewhere"
        try FileManager.default.moveItem(atPath: newPath, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: newPath, withDestinationPath: elsewhere)
        #expect(adoption(of: fixture.record) == .damaged)
        #expect(!exists(fixture.path))
    }

    /// Its header is the registered vault's, and its tables are of no format (attacker 5).
    @Test func aNewFileWithAnotherTableIsNotTakenUp() throws {
        try fixture.change(newPath) { try $0.once("CREATE VIEW v AS SELECT 1") }
        #expect(adoption(of: fixture.record) == .damaged)
        #expect(exists(newPath) && !exists(fixture.path))
    }

    @Test func aSuccessorWithAnotherTableIsNotTakenUp() throws {
        let record = try placeSuccessor()
        try fixture.change(successorPath) { try $0.once("CREATE VIEW v AS SELECT 1") }
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        #expect(adoption(of: record) == nil)
        #expect(exists(successorPath))
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
    }

    @Test func aSuccessorIsTakenUpOnceItsNameIsFree() throws {
        let record = try placeSuccessor()
        try block(fixture.path + "-shm")
        #expect(adoption(of: record) == .storage)
        #expect(exists(successorPath))
        try remove(fixture.path + "-shm")
        try remove(fixture.path)
        try block(fixture.path)
        #expect(adoption(of: record) == .storage)
        #expect(exists(successorPath))
        try remove(fixture.path)
        #expect(adoption(of: record) == nil)
        #expect(exists(fixture.path) && !exists(successorPath))
    }

    @Test func aSuccessorsLogIsTakenUpOnceItsNameIsFree() throws {
        let record = try placeSuccessor()
        let format = try LogFormat(
            keys: VaultKeys(deviceRoot: SecretBytes.random(count: 32), vault: record.vault),
            format: FormatContext(vault: record.vault))
        let start = try format.encode(LogStart(first: 1, previous: LogStart.none))
        let next = logPath + VaultFile.successorSuffix
        try Data(start).write(to: URL(fileURLWithPath: next))
        try block(logPath)
        #expect(adoption(of: record) == .storage)
        #expect(exists(next))
        try remove(logPath)
        #expect(adoption(of: record) == nil)
        #expect(exists(logPath) && !exists(next))
    }

    @Test func whatARenewalHasLeftIsRemovedOrNamed() throws {
        for path in [successorPath, logPath + VaultFile.successorSuffix, notePath] {
            try block(path)
            #expect(vaultError { try VaultFile.removeSuccessor(of: owner, in: directory) } == .storage, "\(path)")
            let note = vaultError { try VaultFile.forgetSuccession(of: owner, in: directory) }
            #expect(note == (path == notePath ? .storage : nil), "\(path)")
            try remove(path)
        }
        #expect(vaultError { try VaultFile.removeSuccessor(of: owner, in: directory) } == nil)
    }

    /// Without its note, nobody would know what a successor belongs to.
    @Test func aRenewalBeginsWithAllOfItsFiles() throws {
        let vault = try fixture.open()
        let next = try VaultFixture(owner: owner)
        let succession = Succession(record: next.record, former: vault.record)
        func begin(_ keys: NewVaultKeys) -> VaultError.Code? { vaultError { try vault.begin(succession, keys: keys) } }
        for path in [logPath + VaultFile.successorSuffix, notePath + ".writing", successorPath + ".writing"] {
            try block(path)
            #expect(begin(next.keys) == .storage, "\(path)")
            try remove(path)
        }
        // These are another vault's.
        #expect(begin(fixture.keys) == .invalidArgument)
        #expect(begin(next.keys) == nil)
        #expect(exists(successorPath) && exists(notePath))
        let successor = try SuccessorVault(in: directory, record: next.record, sealer: next.sealer)
        try block(notePath + ".writing")
        #expect(vaultError { try vault.note(succession, with: successor) } == .storage)
    }

    @Test func whatIsNotSetAsideStaysAndIsNamed() throws {
        try fixture.open().close()
        let aside = VaultFile.setAsideDirectory(in: directory)
        func setAside(_ time: String) -> VaultError.Code? {
            vaultError { _ = try VaultFile.setAside(owner, in: directory, at: time, records: []) }
        }
        try Data().write(to: URL(fileURLWithPath: aside))
        #expect(setAside("t") == .storage)
        try remove(aside)
        // No file can have such a name.
        #expect(setAside(String(repeating: "t", count: 300)) == .storage)
        #expect(exists(fixture.path))
        #expect(setAside("t") == nil)
        #expect(!exists(fixture.path))
    }

    @Test func aCopyIsOfAVaultsFileAndComplete() throws {
        try fixture.open().close()
        let (path, copy) = (fixture.path, directory + "/copy")
        #expect(vaultError { try VaultFile.copy(path, to: directory + "/none/copy") } == .storage)
        let link = directory + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(vaultError { try VaultFile.copy(link, to: copy) } == .damaged)
        // A file with a hole takes no room.
        let long = directory + "/long"
        try Data().write(to: URL(fileURLWithPath: long))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: long))
        try handle.truncate(atOffset: UInt64(DatabaseLimits.copy) + 1)
        try handle.close()
        #expect(vaultError { try VaultFile.copy(long, to: copy) } == .storage)
        #expect(!exists(copy))
        #expect(vaultError { try VaultFile.copy(path, to: copy) } == nil)
        #expect(FileManager.default.contentsEqual(atPath: path, andPath: copy))
    }
}
