import Authorization
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing

@testable import Vault

/// The software sealer demands what a TPM would demand.
struct SoftwareSealerTests {
    let fixture: VaultFixture
    let objects: SealedObjects

    init() throws {
        fixture = try VaultFixture()
        objects = Dictionary(uniqueKeysWithValues: fixture.keys.objects.map { ($0.role, $0) })
    }

    private func code(_ body: () throws -> Void) -> SealerError.Code? {
        do {
            try body()
            return nil
        } catch let error as SealerError {
            return error.code
        } catch {
            return .other
        }
    }

    /// The unlock root, with a request that was changed before it was signed.
    private func unlock(_ exchange: (SigningRequest) throws -> SigningRequest) -> SealerError.Code? {
        code {
            let root = try fixture.sealer.open(.unlockRoot, objects, record: fixture.record) {
                (request) throws(SigningRefusal) in
                let signed: SigningRequest
                do { signed = try exchange(request) } catch { throw SigningRefusal("\(error)") }
                return try fixture.sign(signed)
            }
            #expect(root == fixture.keys.unlockRoot)
        }
    }

    /// Somebody has set the configuration to another sealer. They are told, and nothing looks like damage.
    @Test func aVaultOfTheTPMIsNamedAsThat() throws {
        let record = RegistryRecord(
            vault: fixture.record.vault, owner: fixture.record.owner, ownerName: "tester",
            created: fixture.record.created, sealer: .tpm, authenticatorKey: fixture.record.authenticatorKey,
            storageKey: StorageKeyPin(handle: 0x8100_0001, name: [], context: []), objects: fixture.record.objects)
        let (sealer, password) = (fixture.sealer, try secret([UInt8](repeating: 7, count: 32)))
        let pair = try sealer.makeSigningKeys(
            streamPassword: password, membershipPassword: password, record: fixture.record)
        let digest = try SHA256.digest([1])
        let uses: [() throws -> Void] = [
            { _ = try sealer.openDeviceRoot(objects, record: record) },
            { _ = try sealer.publicPoint(of: .presence, objects, record: record) },
            {
                _ = try sealer.makeSigningKeys(
                    streamPassword: password, membershipPassword: password, record: record)
            },
            {
                _ = try sealer.sign(
                    digest, with: pair.stream, point: pair.streamPoint, password: password, record: record)
            },
            {
                let use = SignedUse.sign(
                    pair.membership, point: pair.membershipPoint, digest: digest, password: password)
                _ = try sealer.begin(use, objects, record: record)
            },
        ]
        for use in uses {
            let error = #expect(throws: SealerError.self) { try use() }
            #expect(error?.advice == "set “sealer = tpm” in the configuration")
        }
    }

    /// A TPM takes no other digest, so software takes none.
    @Test func aDigestHasThirtyTwoBytes() throws {
        let (sealer, password) = (fixture.sealer, try secret([UInt8](repeating: 7, count: 32)))
        let pair = try sealer.makeSigningKeys(
            streamPassword: password, membershipPassword: password, record: fixture.record)
        for count in [0, 31, 33, 64] {
            let digest = [UInt8](repeating: 1, count: count)
            let stream = code {
                _ = try sealer.sign(
                    digest, with: pair.stream, point: pair.streamPoint, password: password, record: fixture.record)
            }
            let membership = code {
                let use = SignedUse.sign(
                    pair.membership, point: pair.membershipPoint, digest: digest, password: password)
                _ = try sealer.begin(use, objects, record: fixture.record)
            }
            #expect(stream == .other && membership == .other, "\(count) bytes")
        }
    }

    @Test func opensWithTheRightSignature() throws {
        #expect(unlock { $0 } == nil)
        #expect(fixture.keys.deviceRoot.count == 32 && fixture.keys.unlockRoot.count == 32)
        #expect(try fixture.sealer.openDeviceRoot(objects, record: fixture.record) == fixture.keys.deviceRoot)
        let recovery = try fixture.sealer.open(.recovery, objects, record: fixture.record) {
            (request) throws(SigningRefusal) in
            try fixture.sign(request)
        }
        #expect(try X25519.PrivateKey(rawRepresentation: recovery).publicKey == fixture.keys.recoveryPublicKey)
    }

    @Test func otherSignaturesAreRefused() throws {
        func request(
            _ request: SigningRequest, nonce: [UInt8]? = nil, hash: [UInt8]? = nil, reference: PolicyReference? = nil
        ) throws -> SigningRequest {
            try #require(
                SigningRequest(
                    nonce: nonce ?? request.nonce, parameterHash: hash ?? request.parameterHash,
                    reference: reference ?? request.reference))
        }
        let vault = fixture.record.vault
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(unlock { try request($0, nonce: zeros) } == .policyRefused)
        #expect(unlock { try request($0, hash: zeros) } == .policyRefused)
        for reference in [
            PolicyReference(vault: vault, owner: .user(1000), kind: .presence),
            PolicyReference(vault: vault, owner: .user(1001), kind: .unlock),
            PolicyReference(vault: try .random(), owner: .user(1000), kind: .unlock),
            PolicyReference(vault: vault, owner: .user(1000), kind: .unlock, setDigest: zeros),
        ] { #expect(unlock { try request($0, reference: reference) } == .policyRefused) }

        let another = try P256.PrivateKey.generate()
        #expect(
            code {
                _ = try fixture.sealer.open(.unlockRoot, objects, record: fixture.record) {
                    (request) throws(SigningRefusal) in
                    do { return try another.signature(for: request.message()) } catch { throw SigningRefusal() }
                }
            } == .policyRefused)
        for signature in [[], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 1, count: 63)] as [[UInt8]] {
            #expect(
                code {
                    _ = try fixture.sealer.open(.unlockRoot, objects, record: fixture.record) {
                        (_) throws(SigningRefusal) in signature
                    }
                } == .policyRefused)
        }
        #expect(
            code {
                _ = try fixture.sealer.open(.unlockRoot, objects, record: fixture.record) {
                    (_) throws(SigningRefusal) in
                    throw SigningRefusal("no")
                }
            } == .signingRefused)
    }

    /// A signature for one item's point must not read another item.
    @Test func anAgreementIsForOnePoint() throws {
        let (mine, others) = (try P256.PrivateKey.generate(), try P256.PrivateKey.generate())
        let point = try fixture.sealer.publicPoint(of: .presence, objects, record: fixture.record)
        let agreed = try fixture.sealer.agree(.presence, point: mine.publicKey, objects, record: fixture.record) {
            (request) throws(SigningRefusal) in try fixture.sign(request)
        }
        #expect(agreed == (try mine.sharedSecret(with: point)))

        var kept: SigningRequest?
        _ = try fixture.sealer.agree(.presence, point: others.publicKey, objects, record: fixture.record) {
            (request) throws(SigningRefusal) in
            kept = request
            return try fixture.sign(request)
        }
        let anothers = try #require(kept)
        #expect(
            code {
                _ = try fixture.sealer.agree(.presence, point: mine.publicKey, objects, record: fixture.record) {
                    (request) throws(SigningRefusal) in
                    guard
                        let swapped = SigningRequest(
                            nonce: request.nonce, parameterHash: anothers.parameterHash, reference: request.reference)
                    else { throw SigningRefusal() }
                    return try fixture.sign(swapped)
                }
            } == .policyRefused)
        #expect(
            code {
                _ = try fixture.sealer.agree(
                    .presence, point: [UInt8](repeating: 4, count: 65), objects, record: fixture.record
                ) { (request) throws(SigningRefusal) in try fixture.sign(request) }
            } == .damaged)
    }

    /// The signature is for the command that a TPM would run, over every byte of it. If it were for a part, it would be
    /// for other points and digests, too (attackers 5 and 13).
    @Test func aRequestIsForTheWholeCommand() throws {
        let point = try P256.PrivateKey.generate().publicKey
        let digest = try SHA256.digest(Array("statement".utf8))
        let password = try SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let pair = try fixture.sealer.makeSigningKeys(
            streamPassword: password, membershipPassword: password, record: fixture.record)
        let signing = try SoftwareObject.check(
            pair.membership, .membershipKey, point: pair.membershipPoint, record: fixture.record
        ).name
        let names = fixture.record.objects
        // The command's code, the object's Name, and the parameters (TPM 2.0 Library, Part 1, section 16.7).
        func command(_ code: UInt8, _ name: [UInt8]?, _ parameters: [UInt8]...) throws -> [UInt8] {
            [0, 0, 0x01, code] + (try #require(name)) + parameters.joined()
        }
        let (x, y) = (Array(point[1..<33]), Array(point[33..<65]))
        let commands: [(use: SignedUse, bytes: [UInt8])] = [
            (.open(.unlockRoot), try command(0x5E, names[.unlockRoot])),
            (.open(.recovery), try command(0x5E, names[.recovery])),
            (.agree(.presence, point: point), try command(0x54, names[.presence], [0, 68, 0, 32], x, [0, 32], y)),
            (
                .sign(pair.membership, point: pair.membershipPoint, digest: digest, password: password),
                try command(0x5D, signing, [0, 32], digest, [0, 0x10, 0x80, 0x24, 0x40, 0, 0, 0x07, 0, 0])
            ),
        ]
        for (use, bytes) in commands {
            let request = try fixture.sealer.begin(use, objects, record: fixture.record).request
            #expect(try request.parameterHash == SHA256.digest(bytes), "\(use.role)")
        }
    }

    @Test func aUseEndsOnce() throws {
        func begin() throws -> any PendingUse {
            try fixture.sealer.begin(.open(.unlockRoot), objects, record: fixture.record)
        }
        let finished = try begin()
        let signature = try fixture.sign(finished.request)
        #expect(try finished.finish(signature: signature, pin: nil) == fixture.keys.unlockRoot)
        #expect(code { _ = try finished.finish(signature: signature, pin: nil) } == .signingRefused)
        let cancelled = try begin()
        cancelled.cancel()
        #expect(
            code { _ = try cancelled.finish(signature: fixture.sign(cancelled.request), pin: nil) } == .signingRefused)
    }

    /// Each refusal says why, and nothing happens instead.
    @Test func whatOnlyATPMCanDoIsRefusedByName() throws {
        let sealer = fixture.sealer
        #expect(sealer.indexes == nil && sealer.inspection == nil)
        let refusals: [() throws -> Void] = [
            { _ = try sealer.requireBinding() }, { _ = try sealer.requireCounting() },
            { _ = try sealer.requireBootTie() },
        ]
        for refusal in refusals {
            do {
                try refusal()
                Issue.record("software can do it")
            } catch let error as SealerError {
                #expect(error.code == .unsupported && error.reason.hasPrefix("only a TPM "), "\(error)")
            }
        }
    }

    /// A counter that software would not ask for must not be taken for none.
    @Test func aVaultWithACounterIsNotOpenedBySoftware() throws {
        let counter = try #require(CounterPin(handle: 0x01B0_C000, base: 0, context: [1]))
        let record = RegistryRecord(
            vault: fixture.record.vault, owner: fixture.record.owner, ownerName: "tester",
            created: fixture.record.created, sealer: .software, authenticatorKey: fixture.record.authenticatorKey,
            storageKey: nil, counter: counter, objects: fixture.record.objects)
        #expect(
            vaultError {
                _ = try OpenVault(directory: fixture.folder.path, record: record, sealer: fixture.sealer)
            } == .sealer)
    }

    @Test func objectsMustBeThoseOfTheRegistry() throws {
        let other = try VaultFixture(in: fixture.folder)
        for role in ObjectRole.ofNewVault {
            let object = try #require(objects[role])
            var exchanged = objects
            var wrong = object.public
            wrong[wrong.count - 1] ^= 1
            exchanged[role] = SealedObject(role: role, public: wrong, private: object.private)
            #expect(use(role, exchanged) == .damaged, "\(role) with another public part")
            exchanged[role] = nil
            #expect(use(role, exchanged) == .damaged, "\(role) missing")
            var sealed = object.private
            sealed[20] ^= 1
            exchanged[role] = SealedObject(role: role, public: object.public, private: sealed)
            #expect(use(role, exchanged) == .damaged, "\(role) with another private part")
            if role != .deviceRoot {
                exchanged[role] = other.keys.objects.first { $0.role == role }
                #expect(use(role, exchanged) == .damaged, "\(role) of another vault")
            }
        }
    }

    private func use(_ role: ObjectRole, _ objects: SealedObjects) -> SealerError.Code? {
        code {
            switch role {
            case .deviceRoot: _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record)
            case .unlockRoot, .recovery:
                _ = try fixture.sealer.open(role, objects, record: fixture.record) { (request) throws(SigningRefusal) in
                    try fixture.sign(request)
                }
            default:
                _ = try fixture.sealer.agree(
                    role, point: fixture.authenticator.publicKey, objects, record: fixture.record
                ) { (request) throws(SigningRefusal) in try fixture.sign(request) }
            }
        }
    }

    /// An accident: the key's file is lost. If a new vault made another one, nobody could put the backup back without
    /// losing that vault.
    @Test func noOtherKeyIsMadeWhileAVaultNeedsTheLostOne() throws {
        let path = "\(fixture.folder.path)/\(SoftwareSealer.keyFile)"
        let records = try TemporaryFolder()
        let registry = Registry(directory: records.path, authenticatorUID: OwnProcess.effectiveUser)
        let sealer = SoftwareSealer(directory: fixture.folder.path, registry: registry)
        func make() throws {
            _ = try sealer.makeKeys(
                vault: VaultID.random(), owner: .user(1001), authenticatorKey: fixture.authenticator.publicKey)
        }
        try registry.write(fixture.record)
        try make()
        try FileManager.default.removeItem(atPath: path)
        #expect(code(make) == .replaced)
        // A record that cannot be read may be of a vault that needs the key.
        let record = registry.path(of: fixture.record.owner)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: record))
        #expect(code(make) == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(atPath: record)
        try make()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// Under another machine key, as on another machine, nothing opens, and the error says why.
    @Test func theMachineKey() throws {
        let path = "\(fixture.folder.path)/\(SoftwareSealer.keyFile)"
        let key = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(key.count == 32)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.removeItem(atPath: path)
        #expect(code { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) } == .replaced)
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try VaultFixture(in: fixture.folder)
        #expect(code { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) } == .damaged)
        try key.write(to: URL(fileURLWithPath: path))
        for mode: mode_t in [0o640, 0o620, 0o610, 0o604, 0o602, 0o601] {
            unsafe chmod(path, mode)
            #expect(code { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) } == .unavailable)
        }
        unsafe chmod(path, 0o600)
        #expect(try fixture.sealer.openDeviceRoot(objects, record: fixture.record) == fixture.keys.deviceRoot)
        // A shorter file is no key, and a longer one is not even read.
        for (bytes, outcome) in [
            (Data(key.dropLast()), .replaced), (Data(Array(key) + [0]), .unavailable),
        ] as [(Data, SealerError.Code)] {
            try bytes.write(to: URL(fileURLWithPath: path))
            unsafe chmod(path, 0o600)
            #expect(code { _ = try fixture.sealer.openDeviceRoot(objects, record: fixture.record) } == outcome)
        }
    }
}
