import Authorization
import Foundation
import Platform
import TestSupport
import Testing

@testable import Vault

/// Whether a vault's file and a record belong together, as the broker finds it out without any key.
struct FileFitTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
        try fixture.open().close()
    }

    private func fit(_ record: RegistryRecord? = nil) -> FileFit {
        VaultFile.fit(fixture.path, record ?? fixture.record)
    }

    @Test("a file fits the record of its vault with its unlock root, and no other one")
    func records() throws {
        #expect(fit() == .fits)
        let root = try #require(fixture.record.objects[.unlockRoot])
        #expect(fit(fixture.record.with(binding: nil, unlockRoot: [UInt8](root.reversed()))) == .differs)
        #expect(fit(try VaultFixture().record) == .differs)
    }

    @Test("during a change of its roots, a file fits the record from before and the one from after")
    func change() throws {
        let next = SealedObject(role: .unlockRoot, public: [1, 2, 3], private: [4])
        let name = try SoftwareObject.name(of: next.public)
        let later = fixture.record.with(binding: nil, unlockRoot: name)
        #expect(fit(later) == .differs)
        let transition = Transition(objects: [next], keybag: [5], index: nil, formerIndex: nil)
        let database = try VaultDatabase(path: fixture.path)
        try database.write { (rows) throws(VaultError) in try rows.put(transition: transition.encoded) }
        try database.close()
        #expect(fit(later) == .fits)
        #expect(fit() == .fits)
    }

    @Test("it is only looked at: its lock stays, and a WAL beside it is neither read nor changed")
    func lookedAtOnly() throws {
        let vault = try fixture.open()
        #expect(fit() == .fits)
        let query = [fixture.path, "SELECT count(*) FROM object"]
        #expect(throws: (any Error).self) { try Tool.output("sqlite3", query) }
        try vault.close()
        #expect(try Tool.output("sqlite3", query).isEmpty == false)
        let foreign = [UInt8](repeating: 7, count: 5000)
        try DurableFile.write(foreign, to: fixture.path + "-wal", mode: 0o600)
        #expect(fit() == .fits)
        #expect(try DurableFile.read(fixture.path + "-wal", limit: 1 << 16) == foreign)
    }

    /// A crash may have left a change of the roots half in the file. The next opening ends it.
    @Test("a file beside which a commit waits is not called another record's, unless it is another vault's")
    func waiting() throws {
        let root = try #require(fixture.record.objects[.unlockRoot])
        let later = fixture.record.with(binding: nil, unlockRoot: [UInt8](root.reversed()))
        try DurableFile.write([], to: fixture.path + "-wal", mode: 0o600)
        #expect(fit(later) == .differs)
        try DurableFile.write([7], to: fixture.path + "-wal", mode: 0o600)
        #expect(fit(later) == .unknown)
        #expect(fit(try VaultFixture().record) == .differs)
    }

    @Test("what is no vault's file does not tell, and nobody waits for it")
    func unknown() throws {
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(fit() == .unknown)
        try DurableFile.write([UInt8](repeating: 7, count: 5000), to: fixture.path, mode: 0o600)
        #expect(fit() == .unknown)
        try FileManager.default.removeItem(atPath: fixture.path)
        try Tool.output("mkfifo", [fixture.path])
        #expect(fit() == .unknown)
    }
}
