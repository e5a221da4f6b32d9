import Authorization
import Cryptography
import Testing

/// The authenticator computes what the membership key's TPM demands. Another program computed the numbers here
/// (docs/vault-format.md, "Signing keys of a circle").
struct StatementSigningTests {
    /// The generator of P-256, and twice it.
    private static let authenticator =
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    private static let membership =
        "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc4766997807775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"

    private func record(
        _ sealer: SealerKind, generation: UInt32? = nil, vault: UInt8 = 1, owner: Owner = .user(1000)
    ) throws -> RegistryRecord {
        RegistryRecord(
            vault: try #require(VaultID(bytes: [UInt8](repeating: vault, count: 16))), owner: owner, ownerName: "ada",
            created: 1, sealer: sealer, authenticatorKey: try bytes(Self.authenticator), storageKey: nil, objects: [:],
            generation: generation.flatMap { IndexPin(handle: $0, policy: [UInt8](repeating: 5, count: 32)) })
    }

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    private func signing(_ record: RegistryRecord) throws -> StatementSigning {
        try StatementSigning(record: record, membershipPoint: bytes(Self.membership))
    }

    @Test(
        arguments: [
            (
                .tpm, 0x01B0_C001, "000b68e3b65b3125dfff531a39b2bdf517f0d0937f6a132b8ca4388cc0d6fab6c7c4",
                "eb668405e736d18b6747758b617a1d49cb6bd0dca2bf7c309f739be0a71e430b"
            ),
            (
                .tpm, nil, "000bd12e163fe6e3816fb9e425d81ce8803c5ae191e8c8f80ab3d05e1a991d7e2719",
                "abd4eaa9250195f5c2896e04ff5ce0c3d0ff3248668d798c2c6f3406f027fba0"
            ),
            (
                .software, nil, "000bb6f115478891789111c44c3f0f07bbf6135a47ebc86e69db600395ffae0c24bb",
                "a080c0d133b52ce61115544a9580759e0cd2f8374975495d074ca210e1925260"
            ),
        ] as [(SealerKind, UInt32?, String, String)])
    func knownAnswers(sealer: SealerKind, generation: UInt32?, name: String, hash: String) throws {
        let signing = try signing(record(sealer, generation: generation))
        #expect(Hex.encode(signing.name) == name)
        #expect(try Hex.encode(signing.parameterHash(ofDigest: [UInt8](repeating: 6, count: 32))) == hash)
    }

    /// A key of another vault, owner, generation or sealer has another Name.
    @Test func everyPartOfTheRecordCounts() throws {
        let records = [
            try record(.tpm), try record(.software), try record(.tpm, vault: 2), try record(.tpm, owner: .user(1001)),
            try record(.tpm, owner: .group(1000)), try record(.tpm, generation: 0x01B0_C001),
            try record(.tpm, generation: 0x01B0_C002),
        ]
        var names: Set<[UInt8]> = []
        for record in records { names.insert(try signing(record).name) }
        let other = try StatementSigning(record: records[0], membershipPoint: bytes(Self.authenticator))
        names.insert(other.name)
        #expect(names.count == records.count + 1)
    }

    @Test func noPointOffTheCurveAndNoDigestOfAnotherLength() throws {
        var off = try bytes(Self.membership)
        off[64] ^= 1
        for point in [[], off, Array(off.dropLast())] {
            let record = try record(.tpm)
            do throws(CryptographyError) {
                _ = try StatementSigning(record: record, membershipPoint: point)
                Issue.record("taken")
            } catch { #expect(error.code == .invalidKey) }
        }
        let signing = try signing(record(.tpm))
        for count in [0, 31, 33] {
            do throws(CryptographyError) {
                _ = try signing.parameterHash(ofDigest: [UInt8](repeating: 6, count: count))
                Issue.record("taken")
            } catch { #expect(error.code == .invalidLength) }
        }
    }

    /// A circle's keys are in no vault: a record that names them is damaged.
    @Test func rolesOfACircleAreNoneOfAVaults() {
        #expect(ObjectRole.ofCircle == [.membershipKey, .streamKey])
        for role in ObjectRole.allCases {
            #expect((ObjectRole(ofVault: role.rawValue) == role) == !ObjectRole.ofCircle.contains(role), "\(role)")
            #expect(role.isAgreementKey == (16...19).contains(role.rawValue), "\(role)")
        }
        #expect(ObjectRole(ofVault: 15) == nil && ObjectRole(ofVault: 22) == nil)
        #expect(ObjectRole.streamKey.authorization == nil && ObjectRole.membershipKey.authorization == .circle)
        #expect(!AuthorizationKind.circle.isForReading && !AuthorizationKind.circle.isBiometric)
        #expect(Set(ObjectRole.ofNewVault + ObjectRole.tiedToBoot).isDisjoint(with: ObjectRole.ofCircle))
    }
}
