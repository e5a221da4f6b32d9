import Authorization
import BrokerProtocol
import Foundation
import Platform
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Root moves a vault aside that this machine no longer opens.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
struct SetAsideTests {
    private let owner = Owner.user(OwnProcess.effectiveUser)

    private func broker(_ tpm: SWTPM) async throws -> ThrowAwayBroker {
        let broker = try await ThrowAwayBroker(configure: { configuration in
            configuration.sealer = .tpm
            configuration.tcti = "\(tpm.configuration)"
        }) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        try await broker.makeVault(broker.client())
        return broker
    }

    private func files(_ broker: ThrowAwayBroker, _ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: broker.configuration.vaultDirectory + folder).sorted()
    }

    @Test("what this machine opens, or what the TPM does not tell, stays in its place unless root insists")
    func refused() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let before = try files(broker)
        let opens = try await fault { try await broker.client().call(Keychain.SetAsideVault()) }
        #expect(opens.name == .notPermitted && opens.details.advice?.contains("--force") == true, "\(opens)")
        #expect(try files(broker) == before)
        let other = try await OtherUser(broker, 1)
        #expect(try await other.say("SetAsideVault", #""force":true"#).contains("NotPermitted"))
        #expect(try files(broker) == before)
        let forced = try await broker.client().call(Keychain.SetAsideVault(force: true))
        #expect(forced.file.map(FileManager.default.fileExists) == true, "\(forced)")
        #expect(try files(broker).filter { $0.hasPrefix(owner.fileStem) } == [])
        await broker.stop()
    }

    @Test("an index that is gone makes a vault useless, although its file still opens")
    func lostIndex() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let registry = Registry(
            directory: broker.configuration.registryDirectory, authenticatorUID: OwnProcess.effectiveUser)
        let generation = try #require(try registry.record(for: owner)?.generation)
        try Tool.output(
            "tpm2_nvundefine", ["-T", tpm.tools, "-C", "o", "0x\(String(generation.handle, radix: 16))"])
        #expect(try await broker.client().call(Keychain.SetAsideVault()).file != nil)
        await broker.stop()
    }

    @Test("a new vault leaves the indexes of the one before, though its authenticator ended too early")
    func unreported() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { configuration in
            configuration.sealer = .tpm
            configuration.tcti = "\(tpm.configuration)"
        }) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let client = try broker.client()
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try await broker.authenticator.described(id)
        let record = try await broker.authenticator.provision(id, line)
        let registry = broker.authenticator.registry
        try registry.write(record)
        await line.close()
        // The vault is there, and its file gets its name when it is opened.
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        _ = try await client.call(Keychain.SetAsideVault(force: true))
        let aside = try #require(try registry.setAside(owner, stamp: "1").path)
        // Somebody keeps it elsewhere, so nothing but the broker's memory tells of it.
        try FileManager.default.moveItem(atPath: aside, toPath: broker.folder.path + "/kept.json")
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Diagnose())
        await broker.stop()
        let text = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).lowercased()
        for handle in record.indexHandles { #expect(text.contains(String(handle, radix: 16)), "\(text)") }
    }

    @Test("of a cleared TPM's vault all parts move, nothing is removed, and a new vault can be made at once")
    func cleared() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        await broker.stop()
        // SQLite's own files beside the vault come and go with a connection: the next one may put them away.
        let before = try files(broker).filter { name in
            name.hasPrefix(owner.fileStem) && !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
        }
        #expect(Set(before).isSuperset(of: ["\(owner.fileStem).log", "\(owner.fileStem).vault"]), "\(before)")
        try tpm.clear()
        let later = try await ThrowAwayBroker(
            folder: broker.folder, authenticator: broker.authenticator,
            configure: { configuration in
                configuration.sealer = .tpm
                configuration.tcti = "\(tpm.configuration)"
            }
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let moved = try await later.client().call(Keychain.SetAsideVault())
        #expect(moved.owner == owner.text)
        let aside = try files(later, "/set-aside")
        for name in before {
            let target = name.replacingOccurrences(of: owner.fileStem, with: "\(owner.fileStem).\(moved.stamp)")
            #expect(aside.contains(target), "\(aside)")
        }
        #expect(try files(later).filter { $0.hasPrefix(owner.fileStem) } == [])
        // A second call takes up what an interruption has left, under the same name.
        let again = try await later.client().call(Keychain.SetAsideVault())
        #expect(again == moved)
        // Until the record is moved too, nothing is made, and doctor says what is missing.
        #expect(try await fault { try await later.client().call(Keychain.Unlock()) }.name == .damaged)
        let registry = Registry(
            directory: later.configuration.registryDirectory, authenticatorUID: OwnProcess.effectiveUser)
        let record = try #require(try registry.setAside(owner, stamp: moved.stamp).path)
        #expect(FileManager.default.fileExists(atPath: record))
        #expect(try registry.record(for: owner) == nil)
        // Its indexes are still somebody's.
        #expect(try registry.setAsideRecords().count == 1)
        try await later.makeVault(later.client())
        let found = try await later.client().call(Keychain.Diagnose()).findings
        #expect(found.first { $0.check == "files" && $0.message.contains("record") } == nil, "\(found)")
        #expect(found.first { $0.check == "log" }?.verdict == .ok, "\(found)")
        await later.stop()
    }
}
