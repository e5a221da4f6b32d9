import Authorization
import Cryptography
import Dispatch
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What is asked of a sealer once for all, and what a sealer that fails leaves behind.
@Suite(.timeLimit(.minutes(5)))
struct SealerMakerTests {
    private func sealer() throws -> (ScriptedSealer, TemporaryFolder) {
        let folder = try TemporaryFolder()
        return (ScriptedSealer(SoftwareSealer(directory: folder.path)), folder)
    }

    @Test("a maker that could not be asked is asked again, and one that is known is not")
    func again() async throws {
        let (sealer, folder) = try sealer()
        let maker = SealerMaker(SealerService(sealer, patience: patience))
        sealer.script.withLock {
            $0.describing = { () throws(SealerError) in throw SealerError(.unavailable, "there is none") }
        }
        #expect(maker.known == nil)
        try await until("it was asked twice in vain") {
            maker.ask()
            return sealer.described >= 2
        }
        #expect(maker.known == nil)
        sealer.script.withLock { $0.describing = {} }
        try await until("it answers") {
            maker.ask()
            return maker.known != nil
        }
        #expect(maker.known == SealerDescription(manufacturer: "maker", model: "model"))
        let asked = sealer.described
        for _ in 0..<10 { maker.ask() }
        for _ in 0..<200 { await Task.yield() }
        #expect(sealer.described == asked)
        withExtendedLifetime(folder) {}
    }

    @Test("a new vault takes no handle in the TPM that a record names, also one that was set aside")
    func reserved() throws {
        let (tpm, folder) = (try SWTPM(), try TemporaryFolder())
        var configuration = Configuration()
        configuration.sealer = .tpm
        configuration.tcti = "\(tpm.configuration)"
        configuration.tpmDeadline = 10
        configuration.registryDirectory = folder.path
        configuration.authenticatorUser = try Account.withUID(OwnProcess.effectiveUser)?.name ?? "root"
        let sealer = try BrokerStart.sealer(configuration)
        let registry = Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser)
        let key = try P256.PrivateKey.generate().publicKey
        let vault = try VaultID.random()
        let keys = try sealer.makeKeys(vault: vault, owner: .user(4321), authenticatorKey: key)
        let record = RegistryRecord(
            vault: vault, owner: .user(4321), ownerName: "other", created: 1, sealer: .tpm, authenticatorKey: key,
            storageKey: keys.storageKey, counter: keys.counter, objects: keys.names, generation: keys.generation)
        try registry.write(record)
        _ = try registry.setAside(record.owner, stamp: "1")
        // The TPM has lost them.
        sealer.remove(counter: keys.counter, generation: keys.generation)
        let next = try sealer.makeKeys(vault: VaultID.random(), owner: .user(4322), authenticatorKey: key)
        let taken = [next.counter?.handle, next.generation?.handle].compactMap { $0 }
        #expect(taken.count == 2 && Set(taken).isDisjoint(with: record.indexHandles), "\(taken)")
        #expect(try tpm.leftovers() == [])
        withExtendedLifetime(folder) {}
    }

    @Test("while the answer is on its way, nobody asks for another one")
    func once() async throws {
        let (sealer, folder) = try sealer()
        let service = SealerService(sealer, patience: patience)
        let (maker, gate) = (SealerMaker(service), DispatchSemaphore(value: 0))
        sealer.script.withLock { $0.describing = { _ = gate.wait(timeout: .now() + 600) } }
        for _ in 0..<10 { maker.ask() }
        for _ in 0..<200 { await Task.yield() }
        for _ in 0..<10 { gate.signal() }
        try await until("it answers") { maker.known != nil }
        // Those before have had their turns.
        _ = try await service.describe()
        #expect(sealer.described == 2)
        withExtendedLifetime(folder) {}
    }

    @Test("a vault that could not be made takes no place of its maker's, and neither does one that has its record")
    func places() async throws {
        let made = try TemporaryFolder()
        let scripted = ScriptedSealer(SoftwareSealer(directory: made.path))
        let fixture = try VaultFixture(indexes: IndexBudget(perUser: IndexLimits.vault)) { _ in scripted }
        func provision(_ uid: UInt32) async throws -> (VaultActor, Challenge.ID, RegistryRecord) {
            let id = try fixture.ask(uid, .vault(.create))
            let vaultActor = fixture.vaultStore.vaultActor(of: .user(uid))
            let record = try await vaultActor.creation.provision(
                in: vaultActor, for: id, by: 7, authenticatorKey: fixture.key.publicKey)
            return (vaultActor, id, record)
        }
        scripted.script.withLock { $0.makesKeys = false }
        #expect(try await fault { _ = try await provision(1) }.details.message == "it makes no keys now")
        scripted.script.withLock { $0.makesKeys = true }
        let (vaultActor, id, record) = try await provision(2)
        // Until it has its record, it takes the only place.
        #expect(try await fault { _ = try await provision(3) }.name == .limitExceeded)
        try fixture.dependencies.registry.write(record)
        _ = try await vaultActor.creation.adopt(in: vaultActor, for: id)
        _ = try await provision(4)
        await vaultActor.close()
        withExtendedLifetime(made) {}
    }
}
