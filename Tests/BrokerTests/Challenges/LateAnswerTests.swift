import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Answers that come too late or in an unplanned order. Nothing is left behind, and a good vault is not called damaged.
@Suite(.timeLimit(.minutes(30)))
struct LateAnswerTests {
    @Test("keys that a slow TPM made for nobody leave no index in it")
    func keysThatComeTooLate() async throws {
        let tpm = try SWTPM()
        let tap = try WireTap(tpm, command: { _, _ in usleep(20_000) })
        let folder = try TemporaryFolder()
        try Folder.make(folder.path + "/vaults", mode: 0o700)
        try Folder.make(folder.path + "/registry", mode: 0o755)
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(600)), clock: .system)
        let uid = OwnProcess.effectiveUser
        func vaultActor(making time: Duration) -> VaultActor {
            VaultActor(
                owner: .user(uid),
                dependencies: VaultDependencies(
                    directory: folder.path + "/vaults",
                    registry: Registry(directory: folder.path + "/registry", authenticatorUID: uid),
                    sealer: SealerService(TPMSealer(TPMAccess.patient(tap.configuration)), patience: patience),
                    challenges: store,
                    makingTime: time))
        }
        let key = try P256.PrivateKey.generate().publicKey
        func provision(_ vaultActor: VaultActor) async throws -> RegistryRecord {
            let id = try store.issue(
                .vault(.create), to: Caller(uid: uid, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1),
                owner: .user(uid), vault: nil)
            return try await vaultActor.creation.provision(
                in: vaultActor, for: id, authenticatorKey: key)
        }
        func indexes() throws -> Int {
            try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n").count
        }
        for _ in 0..<2 {
            let hurried = vaultActor(making: .milliseconds(300))
            let late = try await fault { try await provision(hurried) }
            #expect(late.name == .tpm && late.details.kind == "deadline", "\(late)")
            // This comes after it on the sealer's thread. So it has ended, and what it made was removed.
            try await hurried.dependencies.sealer.use(within: patience) { (_) throws(SealerError) in }
            #expect(try indexes() == 0)
        }
        // In time, it is made.
        _ = try await provision(vaultActor(making: patience))
        #expect(try indexes() == 2)
        #expect(try tpm.leftovers() == [])
    }

    @Test("an unlocking that was signed for beside a binding is refused, and the keychain goes on")
    func unlockingBesideABinding() async throws {
        let tpm = try SWTPM()
        // The binding waits for the TPM, which waits for the signature. The time limit ends that.
        var options = Broker.Options.patient
        options.signatureTimeLimit = .seconds(5)
        let broker = try await ThrowAwayBroker(options: options, configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration))
        }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        _ = try await client.call(Keychain.Lock())
        let owner = Owner.user(OwnProcess.effectiveUser)
        // One client binds the vault, up to the registry.
        let bind = try await challenge { try await client.call(Keychain.Unlock(bind: true)) }
        let binder = try await broker.authenticator.described(bind)
        try await broker.authenticator.release(bind, pin: nil, reseals: true, over: binder)
        let pin = Data([UInt8](repeating: 5, count: 32)).base64EncodedString()
        let reply = try await binder.call(BrokerInterface.Reseal(challenge: bind, pin: pin))
        // Another opens it in another terminal. The TPM waits for the signature.
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let opener = try await broker.authenticator.described(id)
        let question = try await opener.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        let signature = try broker.authenticator.signature(for: question, kind: "unlock", owner: owner)
        // The registry names the bound root. The broker takes it up while it is told of the signature.
        let former = try #require(try broker.authenticator.registry.record(for: owner))
        let made = try #require(reply.index)
        let index = try #require(
            IndexPin(handle: UInt32(made.handle), policy: [UInt8](Data(base64Encoded: made.policy) ?? Data())))
        let binding = try #require(BindingPin(index: index, salt: [UInt8](repeating: 1, count: BindingPin.saltCount)))
        let name = [UInt8](Data(base64Encoded: reply.name) ?? Data())
        try broker.authenticator.registry.replace(former, with: former.with(binding: binding, unlockRoot: name))
        async let adopted = binder.call(BrokerInterface.AdoptRoots(challenge: bind))
        // Time for the one to come first. In the other order there is nothing to see, and nothing wrong.
        try await Task.sleep(for: .milliseconds(300))
        let late = try await fault {
            try await opener.call(
                BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature))
        }
        #expect(late.name == .brokerChallengeRefused, "\(late)")
        _ = try await adopted
        #expect(try await client.call(Keychain.List()).items.count == 1)
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }

    @Test("how the boot stands is one question to the TPM, however many ask at the same time")
    func theBootAskedAllTheTime() async throws {
        let tpm = try SWTPM()
        let recorder = CommandRecorder()
        let fixture = try await TiedFixture(tpm) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder))
        }
        try await fixture.prepare()
        try await fixture.tie()
        // The first keeps the TPM waiting, so that all others come meanwhile.
        tpm.hang()
        recorder.reset()
        let clients = try (0..<20).map { _ in try fixture.broker.client() }
        let answers = try await withThrowingTaskGroup(of: Bool?.self) { group in
            for client in clients { try await client.send(Varlink.encode(VarlinkCall(Keychain.Boot()))) }
            for client in clients {
                group.addTask { try await client.reply(Keychain.Boot.Reply.self).boot?.isApproved }
            }
            // A call that was sent after them has been answered. So they have come, and most of them wait by now.
            let witness = try fixture.broker.client()
            for _ in 0..<8 { _ = try await witness.call(Keychain.Status()) }
            try await Task.sleep(for: .seconds(1))
            tpm.resume()
            return try await group.reduce(into: [Bool?]()) { $0.append($1) }
        }
        #expect(answers.count == 20 && answers.allSatisfy { $0 == true })
        // Most of the twenty waited for the same. Some may have come before or after.
        #expect(recorder.names.count { $0 == "TPM2_PCR_Read" } <= 10, "\(recorder.names.count)")
        await fixture.stop()
    }
}
