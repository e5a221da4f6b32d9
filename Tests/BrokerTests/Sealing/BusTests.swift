import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Synchronization
import TPM
import TestSupport
import Testing
import Vault

/// Attacker 6 listens on the TPM's bus while a whole broker works. No key and no value passes in clear, in either
/// direction.
@Suite(.timeLimit(.minutes(30)))
struct BusTests {
    /// A sealer that keeps every secret that passes through it.
    private final class Witness: Sealer, PasswordBinding, EpochCounting, BootTie {
        let sealer: TPMSealer
        let secrets = Mutex<[[UInt8]]>([])

        init(_ sealer: TPMSealer) { self.sealer = sealer }

        var kind: SealerKind { sealer.kind }
        var binding: (any PasswordBinding)? { self }
        var counting: (any EpochCounting)? { self }
        var bootTie: (any BootTie)? { self }
        var indexes: (any IndexRemoval)? { sealer }
        var attesting: (any KeyAttesting)? { sealer }
        var inspection: (any SealerInspection)? { sealer }

        @Sendable private func note(_ secret: SecretBytes) -> SecretBytes {
            let bytes = secret.withBytes { span in (0..<span.count).map { span[$0] } }
            secrets.withLock { $0.append(bytes) }
            return secret
        }

        func makeKeys(vault: VaultID, owner: Owner, authenticatorKey: [UInt8]) throws(SealerError) -> NewVaultKeys {
            let keys = try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticatorKey)
            _ = note(keys.deviceRoot)
            _ = note(keys.unlockRoot)
            // docs/vault-format.md, "Keys": the counter's password, which is given to the TPM when the counter is made.
            let info = Array("org.coffer.key.counter".utf8)
            if let password = try? HKDF.derive(keys.deviceRoot, salt: vault.bytes, info: info, count: 32) {
                // Without it, the count of secrets below is too low.
                _ = note(password)
            }
            return keys
        }

        func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes {
            note(try sealer.openDeviceRoot(objects, record: record))
        }

        func begin(
            _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
        ) throws(SealerError) -> any PendingUse {
            if case .sign(_, _, _, let password) = use {
                // A signature is no secret.
                _ = note(password)
                return try sealer.begin(use, objects, record: record)
            }
            return WitnessedUse(use: try sealer.begin(use, objects, record: record), note: note)
        }

        func makeSetKey(_ setDigest: [UInt8], record: RegistryRecord) throws(SealerError) -> (
            SealedObject, name: [UInt8]
        ) { try sealer.makeSetKey(setDigest, record: record) }

        func makeSigningKeys(
            streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> SigningKeyPair {
            try sealer.makeSigningKeys(
                streamPassword: note(streamPassword), membershipPassword: note(membershipPassword), record: record)
        }

        func sign(
            _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> [UInt8] {
            try sealer.sign(digest, with: key, point: point, password: note(password), record: record)
        }

        func publicPoint(
            of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord
        ) throws(SealerError) -> [UInt8] { try sealer.publicPoint(of: role, objects, record: record) }

        func bind(
            _ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> ResealedRoot {
            try sealer.bind(note(unlockRoot), pin: note(pin), record: record)
        }

        func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot {
            try sealer.sealUnbound(note(unlockRoot), record: record)
        }

        func tie(
            _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
        ) throws(SealerError) -> ResealedVault {
            _ = note(roots.unlockRoot)
            _ = note(roots.recovery)
            return try sealer.tie(roots, to: registers, objects, record: record, now: now)
        }

        func untie(
            _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
        ) throws(SealerError) -> ResealedVault { try sealer.untie(roots, objects, record: record) }

        func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError) {
            try sealer.approve(boots, by: note(key), record: record)
        }

        func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding {
            try sealer.standing(of: boots, record: record)
        }

        func measurements(of registers: Set<Int>) throws(SealerError) -> [Int: [UInt8]] {
            try sealer.measurements(of: registers)
        }

        func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot {
            let root = try sealer.openCounted(objects, record: record)
            _ = note(root.deviceRoot)
            return root
        }

        func count(
            to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> UInt64 {
            try sealer.count(to: epoch, most: most, password: note(password), record: record)
        }

        func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64 {
            try sealer.remakeCounter(password: note(password), record: record)
        }

        func name(of object: SealedObject) throws(SealerError) -> [UInt8] { try sealer.name(of: object) }

        func describe() throws(SealerError) -> SealerDescription { try sealer.describe() }
    }

    /// A use whose secrets are kept as well.
    private struct WitnessedUse: PendingUse {
        let use: any PendingUse
        let note: @Sendable (SecretBytes) -> SecretBytes

        var request: SigningRequest { use.request }

        func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes {
            note(try use.finish(signature: signature, pin: pin.map(note)))
        }

        func cancel() { use.cancel() }
    }

    @Test("making a vault, opening it cold, unlocking and a gated read show neither key nor value")
    func everything() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let witness = Witness(TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder)))
        let value = Array("CANARY-on-the-bus-7Qx2".utf8)
        let first = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in witness }
        let client = try first.client()
        try await first.makeVault(client)
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: Data(value).base64EncodedString(), access: .presence))
        // The counter advances, and the next opening reads it.
        _ = try await client.call(Keychain.Set(service: "s", account: "gone", value: someValue))
        _ = try await client.call(Keychain.Delete(service: "s", account: "gone"))
        await first.stop()
        let second = try await ThrowAwayBroker(
            folder: first.folder, authenticator: first.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in witness }
        let later = try second.client()
        let read = Keychain.Get(service: "s", account: "a", unlock: true)
        let got = try await second.call(later, read) {
            Keychain.Get(service: "s", account: "a", unlock: true, challenge: $0)
        }
        #expect(Data(base64Encoded: got.value).map(Array.init) == value)
        await second.stop()

        // Every command about a secret was recorded, so a search would find the secret.
        #expect(
            Set(recorder.names).isSuperset(of: [
                "TPM2_Create", "TPM2_Load", "TPM2_Unseal", "TPM2_ECDH_ZGen", "TPM2_PolicySigned",
                "TPM2_NV_DefineSpace", "TPM2_NV_Increment", "TPM2_NV_Read",
            ])
        )
        let record = try #require(
            try first.authenticator.registry.record(for: .user(OwnProcess.effectiveUser)))
        #expect(recorder.contains(record.authenticatorKey[1..<33].map(\.self)))
        let secrets = witness.secrets.withLock { $0 }
        // Three when they are made, two of each unlock and opening, the agreed secret, and the counter's password for
        // two steps.
        #expect(secrets.count >= 10 && Set(secrets).count >= 4, "\(secrets.count)")
        for secret in secrets + [value] {
            #expect(secret.count >= 16)
            // Halves too, because a secret may be sent in parts.
            for part in [secret, Array(secret.prefix(secret.count / 2)), Array(secret.suffix(secret.count / 2))] {
                #expect(!recorder.contains(part))
            }
        }
    }

    @Test("binding a vault, a wrong password and opening it show neither key nor what a password was made into")
    func bound() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let witness = Witness(TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder)))
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in witness }
        let client = try broker.client()
        try await broker.makeVault(client)
        let pins = [1, 2].map { seed in (0..<32).map { UInt8(truncatingIfNeeded: $0 * 7 + seed * 31) } }
        func line(for call: Keychain.Unlock) async throws -> (String, WireClient) {
            let id = try await challenge { try await client.call(call) }
            return (id, try await broker.authenticator.described(id))
        }
        var (id, described) = try await line(for: Keychain.Unlock(bind: true))
        try await broker.authenticator.release(id, pin: nil, reseals: true, over: described)
        try await broker.authenticator.reseal(id, to: pins[0], over: described)
        #expect(try await client.call(Keychain.Unlock(challenge: id, bind: true)).vault.bound == true)
        await described.close()
        _ = try await client.call(Keychain.Lock())
        (id, described) = try await line(for: Keychain.Unlock())
        let wrong = try await fault {
            try await broker.authenticator.release(id, pin: pins[1], reseals: false, over: described)
            return true
        }
        #expect(wrong.details.kind == "wrong-password")
        try await broker.authenticator.release(id, pin: pins[0], reseals: false, over: described)
        #expect(try await client.call(Keychain.Unlock(challenge: id)).vault.state == .unlocked)
        await described.close()
        await broker.stop()

        #expect(Set(recorder.names).isSuperset(of: ["TPM2_NV_DefineSpace", "TPM2_PolicySecret", "TPM2_Unseal"]))
        for secret in witness.secrets.withLock({ $0 }) + pins {
            for part in [secret, Array(secret.prefix(secret.count / 2)), Array(secret.suffix(secret.count / 2))] {
                #expect(!recorder.contains(part))
            }
        }
    }

    @Test(
        "tying a vault to the boot, approving another one and opening it show none of the roots, nor the key that approves"
    )
    func tied() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let witness = Witness(TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder)))
        let fixture = try await TiedFixture(tpm) { _ in witness }
        try await fixture.prepare()
        try await fixture.tie()
        _ = try await fixture.approve(.init(values: [.init(register: 7, value: String(repeating: "a", count: 64))]))
        try await fixture.restart()
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        try await fixture.release()
        await fixture.stop()

        #expect(
            Set(recorder.names).isSuperset(of: [
                "TPM2_PolicyAuthorizeNV", "TPM2_PolicyOR", "TPM2_NV_Write", "TPM2_Unseal",
            ]))
        let secrets = witness.secrets.withLock { $0 }
        // Both former roots, the new one and the approving key, each at least once.
        #expect(Set(secrets).count >= 5, "\(Set(secrets).count)")
        for secret in Set(secrets) {
            for part in [secret, Array(secret.prefix(secret.count / 2)), Array(secret.suffix(secret.count / 2))] {
                #expect(!recorder.contains(part))
            }
        }
    }
}
