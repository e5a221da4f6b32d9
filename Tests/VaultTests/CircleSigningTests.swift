import Authorization
import Cryptography
import Foundation
import TPM
import TestSupport
import Testing

@testable import Vault

/// A device's signing keys under both sealers. The attacker has the files, the sealer, and one of what a key asks for,
/// but never all of it.
struct CircleSigningTests {
    private static let statement = Array("add the new laptop".utf8)

    /// A vault under one of the sealers, and the signing keys of its device.
    private struct Fixture {
        let sealer: any Sealer
        let record: RegistryRecord
        let authenticator: P256.PrivateKey
        let keys: SigningKeyPair
        let objects: SealedObjects
        let passwords: (stream: SecretBytes, membership: SecretBytes)
        /// nil with the software sealer.
        let tpm: SWTPM?
        let recorder = CommandRecorder()
        private let software: VaultFixture?

        init(_ kind: SealerKind, isBeforeGenerations: Bool = false) throws {
            switch kind {
            case .tpm:
                let vault = try VaultID.random()
                let owner = Owner.user(1000)
                let tpm = try SWTPM()
                let sealer = TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder))
                authenticator = try P256.PrivateKey.generate()
                let made = try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticator.publicKey)
                record = RegistryRecord(
                    vault: vault, owner: owner, ownerName: "tester", created: 1, sealer: .tpm,
                    authenticatorKey: authenticator.publicKey, storageKey: made.storageKey, counter: made.counter,
                    objects: made.names, generation: isBeforeGenerations ? nil : made.generation)
                (self.tpm, self.sealer, software) = (tpm, sealer, nil)
                objects = SealedObjects(uniqueKeysWithValues: made.objects.map { ($0.role, $0) })
            case .software:
                let software = try VaultFixture()
                (self.software, sealer, record) = (software, software.sealer, software.record)
                (authenticator, tpm) = (software.authenticator, nil)
                objects = SealedObjects(uniqueKeysWithValues: software.keys.objects.map { ($0.role, $0) })
            }
            passwords = (try .random(count: 32), try .random(count: 32))
            keys = try sealer.makeSigningKeys(
                streamPassword: passwords.stream, membershipPassword: passwords.membership, record: record)
            recorder.reset()
        }

        /// The signature of the membership key.
        func sign(
            _ message: [UInt8] = statement, key: SealedObject? = nil, point: [UInt8]? = nil,
            password: SecretBytes? = nil, record: RegistryRecord? = nil, by signer: P256.PrivateKey? = nil,
            exchange: (SigningRequest) throws -> SigningRequest = { $0 }
        ) throws -> [UInt8] {
            let use = try sealer.begin(
                .sign(
                    key ?? keys.membership, point: point ?? keys.membershipPoint, digest: SHA256.digest(message),
                    password: password ?? passwords.membership), [:], record: record ?? self.record)
            return revealed(
                try use.finish(
                    signature: (signer ?? authenticator).signature(for: exchange(use.request).message()), pin: nil))
        }

        /// The signature of the stream key.
        func signHead(
            _ message: [UInt8] = statement, key: SealedObject? = nil, point: [UInt8]? = nil,
            password: SecretBytes? = nil, record: RegistryRecord? = nil
        ) throws -> [UInt8] {
            try sealer.sign(
                SHA256.digest(message), with: key ?? keys.stream, point: point ?? keys.streamPoint,
                password: password ?? passwords.stream, record: record ?? self.record)
        }

        /// The registry record of another vault of the same owner and sealer.
        func another(vault: VaultID? = nil, key: [UInt8]? = nil) throws -> RegistryRecord {
            RegistryRecord(
                vault: try vault ?? .random(), owner: record.owner, ownerName: record.ownerName,
                created: record.created, sealer: record.sealer, authenticatorKey: key ?? record.authenticatorKey,
                storageKey: record.storageKey, counter: record.counter, objects: record.objects,
                generation: record.generation)
        }

        var folder: String? { software?.folder.path }

        func leavesNothing() throws -> Bool { try tpm?.leftovers() ?? [] == [] }
    }

    private func code(_ body: () throws -> Void) -> SealerError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SealerError)?.code
        }
    }

    private func altered(
        _ request: SigningRequest, nonce: [UInt8]? = nil, hash: [UInt8]? = nil, reference: PolicyReference? = nil
    ) throws -> SigningRequest {
        try #require(
            SigningRequest(
                nonce: nonce ?? request.nonce, parameterHash: hash ?? request.parameterHash,
                reference: reference ?? request.reference))
    }

    @Test(arguments: SealerKind.allCases) func bothKeysSign(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let keys = fixture.keys
        #expect(keys.streamPoint != keys.membershipPoint)
        #expect(keys.stream.role == .streamKey && keys.membership.role == .membershipKey)
        let head = try fixture.signHead()
        #expect(try P256.isValid(signature: head, for: Self.statement, publicKey: keys.streamPoint))
        #expect(kind == .software || fixture.recorder.count == 4)
        fixture.recorder.reset()
        let signed = try fixture.sign()
        #expect(signed.count == 64)
        #expect(try P256.isValid(signature: signed, for: Self.statement, publicKey: keys.membershipPoint))
        #expect(kind == .software || fixture.recorder.count == 9, "\(fixture.recorder.names)")
        #expect(try fixture.leavesNothing())
    }

    /// What the authenticator computes without a TPM is what the sealer asks for.
    @Test(arguments: SealerKind.allCases, [false, true])
    func theAuthenticatorComputesTheSame(kind: SealerKind, isBeforeGenerations: Bool) throws {
        let fixture = try Fixture(kind, isBeforeGenerations: isBeforeGenerations)
        let signing = try StatementSigning(record: fixture.record, membershipPoint: fixture.keys.membershipPoint)
        #expect(try signing.name == fixture.sealer.name(of: fixture.keys.membership))
        let digest = try SHA256.digest(Self.statement)
        let signed = try fixture.sign { (request) throws -> SigningRequest in
            #expect(try request.parameterHash == signing.parameterHash(ofDigest: digest))
            #expect(request.reference == fixture.record.policyReference(for: .circle))
            return request
        }
        #expect(try P256.isValid(signature: signed, for: Self.statement, publicKey: fixture.keys.membershipPoint))
        // Not for another statement, key or vault.
        let other = try signing.parameterHash(ofDigest: SHA256.digest([1]))
        #expect(try other != signing.parameterHash(ofDigest: digest))
        let names = try [
            StatementSigning(record: fixture.record, membershipPoint: fixture.keys.streamPoint).name,
            StatementSigning(record: fixture.another(), membershipPoint: fixture.keys.membershipPoint).name,
        ]
        #expect(!names.contains(signing.name))
    }

    /// So the authenticator can tell whether a broker names its vault's constraint keys to other machines, or others.
    @Test(arguments: SealerKind.allCases) func theAuthenticatorComputesTheNamesOfConstraintKeys(kind: SealerKind) throws
    {
        let fixture = try Fixture(kind)
        for role in [ObjectRole.presence, .biometryAny, .passcode] {
            let point = try fixture.sealer.publicPoint(of: role, fixture.objects, record: fixture.record)
            #expect(try GuardedKeyName.of(role, point: point, in: fixture.record) == fixture.record.objects[role])
            let other = point.dropLast() + [(point.last ?? 0) ^ 1]
            #expect(
                try GuardedKeyName.of(role, point: Array(other), in: fixture.record) != fixture.record.objects[role])
        }
        #expect(throws: CryptographyError.self) {
            try GuardedKeyName.of(.unlockRoot, point: fixture.keys.membershipPoint, in: fixture.record)
        }
    }

    @Test(arguments: SealerKind.allCases) func signaturesForAnythingElseAreRefused(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let (vault, owner) = (fixture.record.vault, fixture.record.owner)
        var foreign = AuthorizationKind.allCases.filter { $0 != .circle }.map {
            PolicyReference(vault: vault, owner: owner, kind: $0)
        }
        foreign.append(PolicyReference(vault: try .random(), owner: owner, kind: .circle))
        foreign.append(PolicyReference(vault: vault, owner: .user(1001), kind: .circle))
        for reference in foreign {
            let outcome = code { _ = try fixture.sign { try altered($0, reference: reference) } }
            #expect(outcome == .policyRefused, "\(reference)")
        }
        // Another statement: the person has read this one, and the broker wants the other signed.
        let signing = try StatementSigning(record: fixture.record, membershipPoint: fixture.keys.membershipPoint)
        let hash = try signing.parameterHash(ofDigest: SHA256.digest(Array("remove the lost phone".utf8)))
        #expect(code { _ = try fixture.sign { try altered($0, hash: hash) } } == .policyRefused)
        let nonce = [UInt8](repeating: 0, count: 32)
        #expect(code { _ = try fixture.sign { try altered($0, nonce: nonce) } } == .policyRefused)
        let stranger = try P256.PrivateKey.generate()
        #expect(code { _ = try fixture.sign(by: stranger) } == .policyRefused)
        #expect(try fixture.leavesNothing())
    }

    /// One statement, one signature.
    @Test(arguments: SealerKind.allCases) func aReplayedSignatureIsRefused(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let wanted = SignedUse.sign(
            fixture.keys.membership, point: fixture.keys.membershipPoint, digest: try SHA256.digest(Self.statement),
            password: fixture.passwords.membership)
        let first = try fixture.sealer.begin(wanted, [:], record: fixture.record)
        let kept = try fixture.authenticator.signature(for: first.request.message())
        _ = try first.finish(signature: kept, pin: nil)
        #expect(code { _ = try first.finish(signature: kept, pin: nil) } == .signingRefused)
        let second = try fixture.sealer.begin(wanted, [:], record: fixture.record)
        #expect(second.request.nonce != first.request.nonce)
        #expect(code { _ = try second.finish(signature: kept, pin: nil) } == .policyRefused)
        let third = try fixture.sealer.begin(wanted, [:], record: fixture.record)
        third.cancel()
        #expect(code { _ = try third.finish(signature: kept, pin: nil) } == .signingRefused)
        #expect(try fixture.leavesNothing())
    }

    /// A locked vault does not have the membership key's password.
    @Test(arguments: SealerKind.allCases) func anotherPasswordSignsNothingAndCostsNothing(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let wrong = try SecretBytes.random(count: 32)
        for _ in 0..<12 {
            #expect(code { _ = try fixture.sign(password: wrong) } == .policyRefused)
            #expect(code { _ = try fixture.signHead(password: wrong) } == .policyRefused)
        }
        // One key's password is not the other's.
        #expect(code { _ = try fixture.sign(password: fixture.passwords.stream) } == .policyRefused)
        #expect(code { _ = try fixture.signHead(password: fixture.passwords.membership) } == .policyRefused)
        // One that could be guessed is not tried.
        if kind == .software {
            let short = try SecretBytes.random(count: 16)
            #expect(code { _ = try fixture.sign(password: short) } == .other)
            #expect(code { _ = try fixture.signHead(password: short) } == .other)
        }
        #expect(
            try P256.isValid(
                signature: fixture.sign(), for: Self.statement, publicKey: fixture.keys.membershipPoint))
        #expect(
            try P256.isValid(signature: fixture.signHead(), for: Self.statement, publicKey: fixture.keys.streamPoint))
        #expect(try fixture.leavesNothing())
    }

    @Test(arguments: SealerKind.allCases) func noPasswordIsShortAndNoDigestHasAnotherLength(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let (good, short) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 31))
        for (stream, membership) in [(short, good), (good, short)] {
            let outcome = code {
                _ = try fixture.sealer.makeSigningKeys(
                    streamPassword: stream, membershipPassword: membership, record: fixture.record)
            }
            #expect(outcome == .other)
        }
        for count in [0, 31, 33] {
            let digest = [UInt8](repeating: 1, count: count)
            #expect(
                code {
                    _ = try fixture.sealer.sign(
                        digest, with: fixture.keys.stream, point: fixture.keys.streamPoint,
                        password: fixture.passwords.stream, record: fixture.record)
                } == .other)
            #expect(
                code {
                    _ = try fixture.sealer.begin(
                        .sign(
                            fixture.keys.membership, point: fixture.keys.membershipPoint, digest: digest,
                            password: fixture.passwords.membership), [:], record: fixture.record)
                } == .other)
        }
        #expect(try fixture.leavesNothing())
    }

    /// The stream key signs without a person, so it must never pass for the membership key.
    @Test(arguments: SealerKind.allCases) func neitherKeyPassesForTheOther(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let (keys, passwords) = (fixture.keys, fixture.passwords)
        func renamed(_ key: SealedObject, _ role: ObjectRole) -> SealedObject {
            SealedObject(role: role, public: key.public, private: key.private)
        }
        for key in [keys.stream, renamed(keys.stream, .membershipKey)] {
            for point in [keys.streamPoint, keys.membershipPoint] {
                #expect(
                    code { _ = try fixture.sign(key: key, point: point, password: passwords.stream) } == .damaged)
            }
        }
        for key in [keys.membership, renamed(keys.membership, .streamKey)] {
            for point in [keys.streamPoint, keys.membershipPoint] {
                #expect(
                    code { _ = try fixture.signHead(key: key, point: point, password: passwords.membership) }
                        == .damaged)
            }
        }
        // Neither is an object of the vault.
        for use in [SignedUse.open(.membershipKey), .agree(.membershipKey, point: keys.streamPoint)] {
            let objects: SealedObjects = [.membershipKey: keys.membership]
            #expect(code { _ = try fixture.sealer.begin(use, objects, record: fixture.record) } == .damaged)
        }
        #expect(fixture.recorder.count == 0)
        #expect(try fixture.leavesNothing())
    }

    @Test(arguments: SealerKind.allCases) func swappedAndAlteredKeysAreDamage(kind: SealerKind) throws {
        let fixture = try Fixture(kind)
        let (keys, passwords) = (fixture.keys, fixture.passwords)
        let others = try fixture.sealer.makeSigningKeys(
            streamPassword: passwords.stream, membershipPassword: passwords.membership, record: fixture.record)
        fixture.recorder.reset()
        #expect(code { _ = try fixture.signHead(key: others.stream) } == .damaged)
        #expect(code { _ = try fixture.signHead(point: others.streamPoint) } == .damaged)
        #expect(code { _ = try fixture.sign(key: others.membership) } == .damaged)
        #expect(code { _ = try fixture.sign(point: others.membershipPoint) } == .damaged)
        for point in [[], [UInt8](repeating: 4, count: 65), keys.membershipPoint + [0]] as [[UInt8]] {
            #expect(code { _ = try fixture.signHead(point: point) } == .damaged)
            #expect(code { _ = try fixture.sign(point: point) } == .damaged)
        }
        for index in keys.membership.public.indices {
            var changed = keys.membership.public
            changed[index] ^= 1
            let key = SealedObject(role: .membershipKey, public: changed, private: keys.membership.private)
            #expect(code { _ = try fixture.sign(key: key) } == .damaged, "byte \(index)")
        }
        // Under the policy of another vault or another authenticator.
        let records = [
            try fixture.another(),
            try fixture.another(vault: fixture.record.vault, key: P256.PrivateKey.generate().publicKey),
        ]
        for record in records { #expect(code { _ = try fixture.sign(record: record) } == .damaged) }
        // Before the TPM is opened, and before a person is asked.
        #expect(fixture.recorder.count == 0)
        // The private half of another key, and none.
        for half in [others.stream.private, keys.membership.private, [], Array(keys.stream.private.dropLast())] {
            let mixed = SealedObject(role: .streamKey, public: keys.stream.public, private: half)
            #expect(code { _ = try fixture.signHead(key: mixed) } == .damaged)
        }
        for half in [others.membership.private, keys.stream.private, []] {
            let mixed = SealedObject(role: .membershipKey, public: keys.membership.public, private: half)
            #expect(code { _ = try fixture.sign(key: mixed) } == .damaged)
        }
        #expect(try fixture.leavesNothing())
    }

    /// `rotate --all` ends the generation. Earlier copies of the keys must sign no statement.
    @Test func afterTheGenerationTheMembershipKeySignsNothing() throws {
        let fixture = try Fixture(.tpm)
        let generation = try #require(fixture.record.generation)
        try fixture.sealer.indexes?.remove(generation)
        #expect(code { _ = try fixture.sign() } == .keysRenewed)
        #expect(
            try P256.isValid(signature: fixture.signHead(), for: Self.statement, publicKey: fixture.keys.streamPoint))
        #expect(try fixture.leavesNothing())
    }

    @Test func thePasswordsDoNotTravel() throws {
        let fixture = try Fixture(.tpm)
        let made = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
        _ = try fixture.sealer.makeSigningKeys(
            streamPassword: made.0, membershipPassword: made.1, record: fixture.record)
        _ = try fixture.sign()
        _ = try fixture.signHead()
        for password in [made.0, made.1, fixture.passwords.stream, fixture.passwords.membership] {
            let bytes = revealed(password)
            for part in [Array(bytes.prefix(8)), Array(bytes.suffix(8))] { #expect(!fixture.recorder.contains(part)) }
        }
        #expect(fixture.recorder.contains(try SHA256.digest(Self.statement)))
    }

    /// A boot or a password that a vault is tied to does not change its membership key.
    @Test func anotherTPMSignsNothing() throws {
        let (fixture, other) = (try Fixture(.tpm), try Fixture(.tpm))
        #expect(
            code {
                _ = try other.sealer.sign(
                    SHA256.digest(Self.statement), with: fixture.keys.stream, point: fixture.keys.streamPoint,
                    password: fixture.passwords.stream, record: fixture.record)
            } == .replaced)
        #expect(try other.leavesNothing())
    }

    @Test func softwareNeedsItsMachineKeyAndARecordOfItsOwn() throws {
        let (fixture, tpm) = (try Fixture(.software), try Fixture(.tpm))
        #expect(code { _ = try fixture.signHead(record: tpm.record) } == .damaged)
        #expect(code { _ = try fixture.sign(record: tpm.record) } == .damaged)
        #expect(
            code {
                _ = try fixture.sealer.makeSigningKeys(
                    streamPassword: fixture.passwords.stream, membershipPassword: fixture.passwords.membership,
                    record: tpm.record)
            } == .damaged)
        let path = "\(try #require(fixture.folder))/\(SoftwareSealer.keyFile)"
        try FileManager.default.removeItem(atPath: path)
        #expect(code { _ = try fixture.signHead() } == .replaced)
        #expect(
            code {
                _ = try fixture.sealer.makeSigningKeys(
                    streamPassword: fixture.passwords.stream, membershipPassword: fixture.passwords.membership,
                    record: fixture.record)
            } == .replaced)
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data([UInt8](repeating: 7, count: 32)).write(to: URL(fileURLWithPath: path))
        #expect(unsafe chmod(path, 0o600) == 0)
        #expect(code { _ = try fixture.signHead() } == .damaged)
        #expect(code { _ = try fixture.sign() } == .damaged)
    }

    /// The private half of a software key that fits another point.
    @Test func softwareComparesThePrivateHalfWithThePoint() throws {
        let fixture = try Fixture(.software)
        let sealer = try #require(fixture.sealer as? SoftwareSealer)
        let scalar = try P256.PrivateKey.generate().rawRepresentation
        let area = fixture.keys.stream.public
        let key = try HKDF.derive(
            fixture.passwords.stream, salt: [], info: Array("org.coffer.software.signing".utf8), count: 32)
        let inner = try AESGCM.seal(scalar, key: key, associatedData: area)
        let planted = SealedObject(
            role: .streamKey, public: area,
            private: try AESGCM.seal(
                SecretBytes(copying: inner), key: sealer.machineKey(makingIt: false), associatedData: area))
        #expect(code { _ = try fixture.signHead(key: planted) } == .damaged)
    }

    /// A circle's keys are no objects of a vault: neither of its file nor of its transition.
    @Test(arguments: ObjectRole.ofCircle) func aVaultsFileHasNoSuchObject(role: ObjectRole) throws {
        let fixture = try VaultFixture()
        // The file gets its name at the first opening.
        try fixture.open().close()
        try fixture.tamper { database in
            func add(_ role: ObjectRole) throws {
                try database.run(
                    "INSERT INTO object (role, public, private) VALUES (?, ?, ?)",
                    [.integer(Int64(role.rawValue)), .blob([1]), .blob([2])])
            }
            try add(.biometryCurrentSet)
            #expect(try Rows(database).objects()[.biometryCurrentSet] != nil)
            try add(role)
            #expect(vaultError { _ = try Rows(database).objects() } == .damaged)
        }
        func decoded(with role: ObjectRole) throws -> Transition {
            let objects = [ObjectRole.unlockRoot, role].map { SealedObject(role: $0, public: [1], private: [2]) }
            return try Transition(
                decoding: Transition(objects: objects, keybag: [], index: nil, formerIndex: nil).encoded)
        }
        #expect(try decoded(with: .biometryCurrentSet).objects.count == 2)
        #expect(vaultError { _ = try decoded(with: role) } == .damaged)
    }
}
