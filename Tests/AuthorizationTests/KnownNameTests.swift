import Cryptography
import Testing

@testable import Authorization

/// The Names that a TPM, or the software sealer, gives a vault's keys. Another program computed the numbers here.
@Suite struct KnownNameTests {
    /// The generator of P-256, and twice it.
    private static let authenticator =
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    private static let other =
        "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
        + "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    private func record(_ sealer: SealerKind, generation: UInt32? = nil) throws -> RegistryRecord {
        RegistryRecord(
            vault: try #require(VaultID(bytes: [UInt8](repeating: 1, count: 16))), owner: .user(1000),
            ownerName: "ada", created: 1, sealer: sealer, authenticatorKey: try bytes(Self.authenticator),
            storageKey: nil, objects: [:],
            generation: generation.flatMap { IndexPin(handle: $0, policy: [UInt8](repeating: 5, count: 32)) })
    }

    @Test(
        arguments: [
            (
                .presence, "591a57a6a84b4b38f73b9202b15933e10e5f721ad1c0f00711bd52b40765610b",
                "9a27ca9799dd9eda504d0ca8457010f57364a0ec244c4218a23263d5baeec31d",
                "63037d89f4e21210e41067602a959f9ca74178b3467c812ef277165a9fa89505"
            ),
            (
                .biometryAny, "576b36984497f8eb28c52fa56eef46398afcdd41d2ac010a1dc88ec9aa442606",
                "1d3d631dd80612b19d059680ae3842ed796d42a6ade4a7a469004ab88d306be4",
                "f00579d8519ae06675b9ce1d92fd979fb4b7c614e3b1b04625c0948fa4ecf87b"
            ),
            (
                .passcode, "6a7826594ce83df7b573071be56e8cfc523b5ed470e7ede0fb3f4090e484a2f2",
                "485d9bfcac278fa936ab0038742e8e5905c2c7125f9e510381108029938d2e1b",
                "015cd1f8dcaf2a5dce50de4d25985afb7203b6eb06aea56d55f9455098f5a9f5"
            ),
        ] as [(ObjectRole, String, String, String)])
    func aConstraintKeysName(role: ObjectRole, generation: String, plain: String, software: String) throws {
        let point = try bytes(Self.other)
        for (record, digest) in [
            (try record(.tpm, generation: 0x01B0_C001), generation), (try record(.tpm), plain),
            (try record(.software), software),
        ] {
            let name = try GuardedKeyName.of(role, point: point, in: record)
            #expect(Hex.encode(name) == "000b" + digest, "\(record.sealer)")
        }
    }

    /// A key without a policy of the vault's, and objects that are no keys.
    @Test func onlyKeysWithAPointHaveOne() throws {
        let (record, point) = (try self.record(.tpm), try bytes(Self.other))
        let stream = try GuardedKeyName.name(of: GuardedKeyName.area(.streamKey, point: point, in: record))
        #expect(Hex.encode(stream) == "000b0b5a7387452dd23ecb310ce34676e6b493b008f9930eb1ac0879bfa73faaa95f")
        let named: Set<ObjectRole> = [.presence, .biometryAny, .biometryCurrentSet, .passcode, .membershipKey]
        for role in ObjectRole.allCases {
            for (isNamed, body) in [
                (named.contains(role), { _ = try GuardedKeyName.of(role, point: point, in: record) }),
                (
                    named.contains(role) || role == .streamKey,
                    { _ = try GuardedKeyName.area(role, point: point, in: record) }
                ),
            ] as [(Bool, () throws -> Void)] {
                do {
                    try body()
                    #expect(isNamed, "\(role)")
                } catch let error as CryptographyError { #expect(!isNamed && error.code == .invalidKey, "\(role)") }
            }
        }
    }

    @Test func aMachinesNamesAreThoseOfItsTPM() throws {
        let machine = try MachineIdentity(
            endorsement: bytes(Self.authenticator), attestation: bytes(Self.other))
        #expect(MachineIdentity.count == 130)
        #expect(try machine.bytes == bytes(Self.authenticator) + bytes(Self.other))
        #expect(
            try Hex.encode(machine.endorsementName)
                == "000b1d96bc4a6128b65a1582ef4ec5ffcedaf4c1a13d6e95699b1073aad0d9d88b43")
        #expect(
            try Hex.encode(machine.attestationName)
                == "000b398eee4b83417ac70a3990a62bb96194994231a43fe99bbd86a90c5b5671c85a")
    }

    @Test func noMachineHasAKeyOffTheCurve() throws {
        let (one, other) = (try bytes(Self.authenticator), try bytes(Self.other))
        var off = other
        off[64] ^= 1
        for (endorsement, attestation) in [(off, other), (one, off), ([], other), (one, Array(other.dropLast()))] {
            do throws(CryptographyError) {
                _ = try MachineIdentity(endorsement: endorsement, attestation: attestation)
                Issue.record("taken")
            } catch { #expect(error.code == .invalidKey) }
        }
    }

    @Test func aCredentialHasPartsOfOneLengthAndAWholeSecret() throws {
        let machine = try MachineIdentity(
            endorsement: bytes(Self.authenticator), attestation: bytes(Self.other))
        for count in [16, 31, 32, 33, 64] {
            do throws(CryptographyError) {
                let made = try IdentityCredential(
                    SecretBytes(copying: [UInt8](repeating: 1, count: count)), for: machine)
                #expect(count == 32 && made.encryptedSecret.count == 68 && made.idObject.count == 68)
                // The lengths of the two halves of a point, and of the code that protects the rest.
                #expect(made.encryptedSecret.prefix(2) == [0, 32] && made.encryptedSecret[34..<36] == [0, 32])
                #expect(made.idObject.prefix(2) == [0, 32])
            } catch { #expect(count != 32 && error.code == .invalidLength, "\(count)") }
        }
        let part = [UInt8](repeating: 1, count: 68)
        for wrong in [[], Array(part.dropLast()), part + [1]] {
            for (secret, object) in [(wrong, part), (part, wrong)] {
                do throws(CryptographyError) {
                    _ = try IdentityCredential(encryptedSecret: secret, idObject: object)
                    Issue.record("taken")
                } catch { #expect(error.code == .invalidLength) }
            }
        }
        #expect(try IdentityCredential(encryptedSecret: part, idObject: part).idObject == part)
    }
}
