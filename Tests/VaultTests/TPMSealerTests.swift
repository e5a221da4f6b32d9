import Authorization
import Cryptography
import Synchronization
import TPM
import TestSupport
import Testing

@testable import Vault

/// The TPM sealer on a real TPM. The attacker has the broker's files and its TPM, but not the authenticator's key.
struct TPMSealerTests {
    /// A fresh TPM, an authenticator's key and a vault's objects with their record.
    struct Fixture {
        let tpm: SWTPM
        let recorder = CommandRecorder()
        let sealer: TPMSealer
        let authenticator: P256.PrivateKey
        let keys: NewVaultKeys
        let objects: SealedObjects
        let record: RegistryRecord

        init(vault: VaultID? = nil, owner: Owner = .user(1000)) throws {
            tpm = try SWTPM()
            sealer = TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder))
            authenticator = try P256.PrivateKey.generate()
            let vault = try vault ?? VaultID.random()
            keys = try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticator.publicKey)
            objects = SealedObjects(uniqueKeysWithValues: keys.objects.map { ($0.role, $0) })
            record = Self.record(vault, owner, authenticator.publicKey, keys)
            recorder.reset()
        }

        static func record(_ vault: VaultID, _ owner: Owner, _ key: [UInt8], _ keys: NewVaultKeys) -> RegistryRecord {
            RegistryRecord(
                vault: vault, owner: owner, ownerName: "tester", created: 1, sealer: .tpm, authenticatorKey: key,
                storageKey: keys.storageKey, counter: keys.counter, objects: keys.names, generation: keys.generation)
        }

        /// An authenticator after PAM has accepted.
        func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
            do {
                return try authenticator.signature(for: request.message())
            } catch {
                throw SigningRefusal("\(error)")
            }
        }

        /// A signature over a request in which something was changed.
        func sign(
            _ request: SigningRequest, nonce: [UInt8]? = nil, hash: [UInt8]? = nil, reference: PolicyReference? = nil
        ) throws(SigningRefusal) -> [UInt8] {
            let altered = SigningRequest(
                nonce: nonce ?? request.nonce, parameterHash: hash ?? request.parameterHash,
                reference: reference ?? request.reference)
            guard let altered else { throw SigningRefusal("no such request") }
            return try sign(altered)
        }
    }

    /// The sealer error that a closure ends with, or nil.
    func code(_ body: () throws -> Void) -> SealerError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SealerError)?.code
        }
    }

    @Test func whatIsMadeOpensAgain() throws {
        let fixture = try Fixture()
        let (sealer, objects, record) = (fixture.sealer, fixture.objects, fixture.record)
        #expect(try sealer.openDeviceRoot(objects, record: record) == fixture.keys.deviceRoot)
        #expect(try sealer.open(.unlockRoot, objects, record: record, sign: fixture.sign) == fixture.keys.unlockRoot)
        let recovery = try sealer.open(.recovery, objects, record: record, sign: fixture.sign)
        #expect(try X25519.PrivateKey(rawRepresentation: recovery).publicKey == fixture.keys.recoveryPublicKey)
        #expect(fixture.keys.deviceRoot != fixture.keys.unlockRoot)
        #expect(fixture.keys.deviceRoot.count == 32 && fixture.keys.unlockRoot.count == 32)
        #expect(try fixture.tpm.leftovers() == [])
    }

    /// At most six for each of its two objects. The counter is read on the way.
    @Test func aColdUnlockIsElevenCommandsAndAGatedReadEight() throws {
        let fixture = try Fixture()
        _ = try fixture.sealer.openCounted(fixture.objects, record: fixture.record)
        #expect(fixture.recorder.count == 3)
        fixture.recorder.reset()
        _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record, sign: fixture.sign)
        #expect(fixture.recorder.count == 8)
        fixture.recorder.reset()
        let ephemeral = try P256.PrivateKey.generate()
        let point = try fixture.sealer.publicPoint(of: .presence, fixture.objects, record: fixture.record)
        #expect(fixture.recorder.count == 0)
        let agreed = try fixture.sealer.agree(
            .presence, point: ephemeral.publicKey, fixture.objects, record: fixture.record, sign: fixture.sign)
        #expect(agreed == (try ephemeral.sharedSecret(with: point)))
        #expect(fixture.recorder.count == 8)
        #expect(try fixture.tpm.leftovers() == [])
    }

    /// As in every earlier vault, and as with a TPM that makes no credential. Only the number of commands differs.
    @Test func aSealedDeviceRootIsAsGood() throws {
        let fixture = try Fixture()
        let tap = try WireTap(
            fixture.tpm,
            command: { command, bytes in
                // A code that no command has.
                if isCommand(.activateCredential, command) { bytes.replaceSubrange(6..<10, with: [0, 0, 0x01, 0xFF]) }
            })
        let id = try VaultID.random()
        let keys = try TPMSealer(TPMAccess.patient(tap.configuration)).makeKeys(
            vault: id, owner: .user(1000), authenticatorKey: fixture.authenticator.publicKey)
        let record = Fixture.record(id, .user(1000), fixture.authenticator.publicKey, keys)
        let objects = SealedObjects(uniqueKeysWithValues: keys.objects.map { ($0.role, $0) })
        #expect(Set(objects.keys) == Set(record.objects.keys) && Set(objects.keys) == Set(fixture.objects.keys))
        #expect(try fixture.sealer.openDeviceRoot(objects, record: record) == keys.deviceRoot)
        fixture.recorder.reset()
        let counted = try fixture.sealer.openCounted(objects, record: record)
        #expect(counted.deviceRoot == keys.deviceRoot && counted.epoch == 1)
        #expect(
            fixture.recorder.names == [
                "TPM2_StartAuthSession", "TPM2_Load", "TPM2_Unseal", "TPM2_FlushContext", "TPM2_NV_Read",
            ])
        // Neither form opens under the record of the other.
        var mixed = fixture.objects
        mixed[.deviceRoot] = objects[.deviceRoot]
        #expect(code { _ = try fixture.sealer.openDeviceRoot(mixed, record: fixture.record) } == .damaged)
        mixed = objects
        mixed[.deviceRoot] = fixture.objects[.deviceRoot]
        #expect(code { _ = try fixture.sealer.openDeviceRoot(mixed, record: record) } == .damaged)
        #expect(try fixture.tpm.leftovers() == [])
    }

    /// Anybody can make a credential for the storage key, with a device root that they know. They cannot write the
    /// registry's record.
    @Test func aPlantedDeviceRootIsRefused() throws {
        let fixture = try Fixture()
        func plant() throws -> StoredCredential? {
            let pin = try #require(fixture.record.storageKey)
            let context = try TPMAccess.patient(fixture.tpm.configuration).open()
            let key = try context.storageKey(
                StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context))
            let known = try SecretBytes(copying: [UInt8](repeating: 1, count: 32))
            return try context.makeCredential(known, of: key, session: context.startHMACSession(saltedTo: key))
        }
        let planted = try #require(try plant())
        var objects = fixture.objects
        objects[.deviceRoot] = SealedObject(
            role: .deviceRoot, public: planted.encryptedSecret, private: planted.idObject)
        for attempt in [
            { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) },
            { _ = try fixture.sealer.openCounted(objects, record: fixture.record) },
        ] {
            fixture.recorder.reset()
            #expect(code(attempt) == .damaged)
            #expect(!fixture.recorder.names.contains("TPM2_ActivateCredential"))
        }
    }

    @Test func theAuthenticatorIsAskedForExactlyThisCommand() throws {
        let fixture = try Fixture()
        var requests: [SigningRequest] = []
        for _ in 0..<2 {
            _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) {
                request throws(SigningRefusal) in
                requests.append(request)
                return try fixture.sign(request)
            }
        }
        // docs/vault-format.md, "Authorization by the authenticator".
        let name = try #require(fixture.record.objects[.unlockRoot])
        #expect(try requests[0].parameterHash == SHA256.digest([0x00, 0x00, 0x01, 0x5E] + name))
        #expect(requests[0].reference == fixture.record.policyReference(for: .unlock))
        #expect(requests[0].nonce != requests[1].nonce)
    }

    @Test func signaturesForAnythingElseAreRefused() throws {
        let fixture = try Fixture()
        let (vault, owner) = (fixture.record.vault, fixture.record.owner)
        let foreign = [
            PolicyReference(vault: try VaultID.random(), owner: owner, kind: .unlock),
            PolicyReference(vault: vault, owner: .user(1001), kind: .unlock),
            PolicyReference(vault: vault, owner: .group(1000), kind: .unlock),
            PolicyReference(vault: vault, owner: owner, kind: .presence),
            PolicyReference(vault: vault, owner: owner, kind: .recovery),
            PolicyReference(vault: vault, owner: owner, kind: .unlock, setDigest: [1]),
        ]
        for reference in foreign {
            let outcome = code {
                _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) {
                    request throws(SigningRefusal) in try fixture.sign(request, reference: reference)
                }
            }
            #expect(outcome == .policyRefused)
        }
        let otherHash = try SHA256.digest([0x00, 0x00, 0x01, 0x5E] + fixture.record.objects[.recovery, default: []])
        let otherObject = code {
            _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) {
                request throws(SigningRefusal) in try fixture.sign(request, hash: otherHash)
            }
        }
        #expect(otherObject == .policyRefused)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func aReplayedSignatureIsRefused() throws {
        let fixture = try Fixture()
        var kept: [UInt8] = []
        _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) {
            request throws(SigningRefusal) in
            kept = try fixture.sign(request)
            return kept
        }
        let replay = code {
            _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) { _ in kept }
        }
        #expect(replay == .policyRefused)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func aSignatureForAnotherItemIsRefused() throws {
        let fixture = try Fixture()
        let (mine, other) = (try P256.PrivateKey.generate().publicKey, try P256.PrivateKey.generate().publicKey)
        var kept: [UInt8] = []
        _ = try fixture.sealer.agree(.presence, point: other, fixture.objects, record: fixture.record) {
            request throws(SigningRefusal) in
            kept = request.parameterHash
            return try fixture.sign(request)
        }
        let outcome = code {
            _ = try fixture.sealer.agree(.presence, point: mine, fixture.objects, record: fixture.record) {
                request throws(SigningRefusal) in try fixture.sign(request, hash: kept)
            }
        }
        #expect(outcome == .policyRefused)
    }

    @Test func aRefusalToSignComesOutAsThat() throws {
        let fixture = try Fixture()
        let outcome = code {
            _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record) {
                _ throws(SigningRefusal) in throw SigningRefusal("PAM said no")
            }
        }
        #expect(outcome == .signingRefused)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func aUseEndsOnceAndLeavesNothing() throws {
        let fixture = try Fixture()
        func begin() throws -> any PendingUse {
            try fixture.sealer.begin(.open(.unlockRoot), fixture.objects, record: fixture.record)
        }
        // Given up, released without a word, and finished.
        let cancelled = try begin()
        let signature = try fixture.sign(cancelled.request)
        cancelled.cancel()
        cancelled.cancel()
        #expect(try fixture.tpm.leftovers() == [])
        #expect(code { _ = try cancelled.finish(signature: signature, pin: nil) } == .signingRefused)
        _ = try begin()
        #expect(try fixture.tpm.leftovers() == [])
        let finished = try begin()
        let own = try fixture.sign(finished.request)
        #expect(try finished.finish(signature: own, pin: nil) == fixture.keys.unlockRoot)
        #expect(code { _ = try finished.finish(signature: own, pin: nil) } == .signingRefused)
        // A wrong signature ends it too.
        let refused = try begin()
        #expect(code { _ = try refused.finish(signature: own, pin: nil) } == .policyRefused)
        let right = try fixture.sign(refused.request)
        #expect(code { _ = try refused.finish(signature: right, pin: nil) } == .signingRefused)
        #expect(try fixture.tpm.leftovers() == [])
    }

    /// Another system that cleans up between the two steps.
    @Test func aStorageKeyThatGoesBetweenTheStepsIsBackForTheNextUse() throws {
        let fixture = try Fixture()
        let handle = try #require(fixture.record.storageKey).handle
        let isEvicting = Mutex(false)
        let tap = try WireTap(
            fixture.tpm,
            command: { command, bytes in
                guard isCommand(.load, command), isEvicting.withLock({ $0 }) else { return }
                isEvicting.withLock { $0 = false }
                // TPM2_EvictControl by the owner, whose password is empty.
                let parts: [[UInt8]] = [
                    [0x80, 0x02, 0, 0, 0, 35, 0, 0, 0x01, 0x20, 0x40, 0, 0, 1], BigEndian.bytes(handle),
                    [0, 0, 0, 9, 0x40, 0, 0, 9, 0, 0, 0, 0, 0], BigEndian.bytes(handle),
                ]
                bytes = parts.flatMap { $0 }
            })
        let sealer = TPMSealer(TPMAccess.patient(tap.configuration))
        let use = try sealer.begin(.open(.unlockRoot), fixture.objects, record: fixture.record)
        isEvicting.withLock { $0 = true }
        do {
            _ = try use.finish(signature: fixture.sign(use.request), pin: nil)
            Issue.record("opened")
        } catch let error as SealerError {
            #expect(error.code == .other && error.reason.contains("is back now"), "\(error)")
        }
        #expect(
            try sealer.open(.unlockRoot, fixture.objects, record: fixture.record, sign: fixture.sign)
                == fixture.keys.unlockRoot)
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func anotherAuthenticatorsRecordDoesNotOpenIt() throws {
        let fixture = try Fixture()
        let other = try P256.PrivateKey.generate()
        let record = Fixture.record(fixture.record.vault, fixture.record.owner, other.publicKey, fixture.keys)
        let outcome = code {
            _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: record) {
                request throws(SigningRefusal) in
                do {
                    return try other.signature(for: request.message())
                } catch {
                    throw SigningRefusal("\(error)")
                }
            }
        }
        #expect(outcome == .damaged)
    }

    @Test func objectsThatDoNotFitTheRecordAreDamageBeforeTheTPMSeesThem() throws {
        let fixture = try Fixture()
        var swapped = fixture.objects
        let recovery = try #require(fixture.objects[.recovery])
        swapped[.unlockRoot] = SealedObject(role: .unlockRoot, public: recovery.public, private: recovery.private)
        let attempts: [SealerError.Code?] = [
            code { _ = try fixture.sealer.open(.unlockRoot, swapped, record: fixture.record, sign: fixture.sign) },
            code { _ = try fixture.sealer.openDeviceRoot([:], record: fixture.record) },
            code { _ = try fixture.sealer.publicPoint(of: .unlockRoot, fixture.objects, record: fixture.record) },
            code {
                _ = try fixture.sealer.publicPoint(of: .biometryCurrentSet, fixture.objects, record: fixture.record)
            },
        ]
        #expect(attempts == [.damaged, .damaged, .damaged, .damaged])
        #expect(!fixture.recorder.names.contains("TPM2_Load"))
        #expect(try fixture.tpm.leftovers() == [])
    }

    @Test func anotherOrAClearedTPMIsReplacedAndADeadOneUnavailable() throws {
        let (fixture, other) = (try Fixture(), try Fixture())
        #expect(code { _ = try other.sealer.openDeviceRoot(fixture.objects, record: fixture.record) } == .replaced)
        let signed = code {
            _ = try other.sealer.open(.unlockRoot, fixture.objects, record: fixture.record, sign: fixture.sign)
        }
        #expect(signed == .replaced)
        #expect(try other.tpm.leftovers() == [])
        try fixture.tpm.clear()
        #expect(code { _ = try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record) } == .replaced)
        try fixture.tpm.stop()
        #expect(code { _ = try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record) } == .unavailable)
    }

    /// `tpm2_evictcontrol`, or another system on the same machine that cleans up.
    @Test func anEvictedStorageKeyIsMadeAgainFromTheSameSeed() throws {
        let fixture = try Fixture()
        let handle = try #require(fixture.record.storageKey).handle
        func evict() throws {
            try Tool.output(
                "tpm2_evictcontrol", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-c", "0x" + String(handle, radix: 16)])
        }
        try evict()
        #expect(try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record) == fixture.keys.deviceRoot)
        // Under its old handle, so the next opening does not have to do it again.
        fixture.recorder.reset()
        #expect(try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record) == fixture.keys.deviceRoot)
        #expect(fixture.recorder.count == 2)
        try evict()
        #expect(
            try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record, sign: fixture.sign)
                == fixture.keys.unlockRoot)
        // With an owner password it cannot be put back, and the error says that.
        try evict()
        try Tool.output("tpm2_changeauth", ["-T", fixture.tpm.tools, "-c", "owner", "hunter2"])
        do {
            _ = try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record)
            Issue.record("opened")
        } catch {
            #expect(error.reason.contains("owner password is set"), "\(error)")
        }
        #expect(try fixture.tpm.leftovers() == [])
    }

    /// A key that somebody else put under the handle stays there, and is not used.
    @Test func anotherKeyInItsPlaceIsNeitherUsedNorMoved() throws {
        let fixture = try Fixture()
        let handle = "0x" + String(try #require(fixture.record.storageKey).handle, radix: 16)
        let context = fixture.tpm.folder.path + "/other.ctx"
        try Tool.output("tpm2_evictcontrol", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-c", handle])
        try Tool.output("tpm2_createprimary", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-G", "rsa", "-c", context])
        try Tool.output("tpm2_evictcontrol", ["-T", fixture.tpm.tools, "-Q", "-C", "o", "-c", context, handle])
        let before = try Tool.output("tpm2_readpublic", ["-T", fixture.tpm.tools, "-c", handle])
        #expect(code { _ = try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record) } == .replaced)
        #expect(try Tool.output("tpm2_readpublic", ["-T", fixture.tpm.tools, "-c", handle]) == before)
    }

    @Test func noSecretGoesOverTheWireInClear() throws {
        let fixture = try Fixture()
        let keys = fixture.keys
        let others = try fixture.sealer.makeKeys(
            vault: fixture.record.vault, owner: fixture.record.owner, authenticatorKey: fixture.authenticator.publicKey)
        _ = try fixture.sealer.openDeviceRoot(fixture.objects, record: fixture.record)
        _ = try fixture.sealer.open(.unlockRoot, fixture.objects, record: fixture.record, sign: fixture.sign)
        let recovery = try fixture.sealer.open(.recovery, fixture.objects, record: fixture.record, sign: fixture.sign)
        let ephemeral = try P256.PrivateKey.generate()
        let shared = try fixture.sealer.agree(
            .presence, point: ephemeral.publicKey, fixture.objects, record: fixture.record, sign: fixture.sign)
        let made = [others.deviceRoot, others.unlockRoot]
        for secret in [keys.deviceRoot, keys.unlockRoot, recovery, shared] + made {
            let bytes = secret.withBytes { span in span.indices.map { span[$0] } }
            for part in [bytes, Array(bytes.prefix(8)), Array(bytes.suffix(8))] {
                #expect(!fixture.recorder.contains(part))
            }
        }
        #expect(fixture.recorder.contains(ephemeral.publicKey.suffix(32)))
    }

    /// A creation that failed at its end. A TPM has room for a few indexes, and others need it.
    @Test func whatWasMadeForNoVaultIsRemoved() throws {
        func indexes(_ fixture: Fixture) throws -> String {
            try Tool.output("tpm2_getcap", ["-T", fixture.tpm.tools, "handles-nv-index"])
        }
        for isCounterGone in [false, true] {
            let fixture = try Fixture()
            let (counter, generation) = (fixture.keys.counter, fixture.keys.generation)
            #expect(counter != nil && generation != nil)
            #expect(try !indexes(fixture).isEmpty)
            // Somebody else has removed it. The rest is removed all the same.
            if isCounterGone { fixture.sealer.remove(counter: counter, generation: nil) }
            fixture.sealer.remove(counter: counter, generation: generation)
            #expect(try indexes(fixture).isEmpty)
            #expect(try fixture.tpm.leftovers() == [])
        }
    }

    /// An index that is said to be removed is forgotten. So it is said only if it is true.
    @Test func aDeadTPMRemovesNothing() throws {
        let fixture = try Fixture()
        let counter = try #require(fixture.keys.counter)
        let generation = try #require(fixture.keys.generation)
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 0, count: 32)))
        try fixture.tpm.stop()
        let removals: [() throws -> Void] = [
            { try fixture.sealer.remove(counter) }, { try fixture.sealer.remove(generation) },
            { try fixture.sealer.remove(.password(index)) }, { try fixture.sealer.remove(.boots(index)) },
        ]
        for (number, removal) in removals.enumerated() { #expect(code(removal) == .unavailable, "\(number)") }
    }

    @Test func theTPMSaysWhoMadeIt() throws {
        let fixture = try Fixture()
        let description = try fixture.sealer.describe()
        #expect(description.manufacturer == "IBM")
        #expect(description.model.contains("TPM"))
    }
}
