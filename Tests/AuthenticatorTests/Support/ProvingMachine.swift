import Circle
import Cryptography
import Platform

@testable import Authorization

/// A machine whose TPM is played by keys of the test. It says what a TPM would say. Tests of the vault and of the whole
/// system have real ones.
struct ProvingMachine {
    let machine: MachineIdentity
    private let attestation: P256.PrivateKey
    private let parent: [UInt8] = [0, 0x0B] + [UInt8](repeating: 8, count: 32)

    init() throws {
        attestation = try .generate()
        machine = try MachineIdentity(
            endorsement: P256.PrivateKey.generate().publicKey, attestation: attestation.publicKey)
    }

    /// A line of root's list.
    func line(_ name: String) throws -> String { "\(Hex.encode(try machine.endorsementName)) \(name)\n" }

    /// What the store has of its identity.
    func identity(for request: JoinRequest, sealedFor other: JoinRequest? = nil) throws -> String {
        let identity = try JoinIdentity(request: request.digest, machine: machine)
        return try Base64.encode(JoinCode(of: other ?? request).seal(identity.bytes, .identity))
    }

    /// Its answer to a challenge with this secret.
    ///
    /// - Parameters:
    ///   - other: whose keys were loaded, if not the request's.
    ///   - kind: of what is signed, by Part 2, "TPM_ST".
    func evidence(
        for request: JoinRequest, _ secret: SecretBytes, loading other: JoinRequest? = nil, kind: UInt16 = 0x8016,
        signer: P256.PrivateKey? = nil
    ) throws -> JoinEvidence {
        let claim = try JoinEvidence.Claim(
            id: VaultID.random(), owner: .user(1000), authenticatorKey: P256.PrivateKey.generate().publicKey,
            generation: nil)
        let record = RegistryRecord(
            vault: claim.id, owner: claim.owner, ownerName: "", created: 0, sealer: .tpm,
            authenticatorKey: claim.authenticatorKey, storageKey: nil, objects: [:])
        let area: [UInt8] = [0, 1, 5]
        let loads = try (other ?? request).keys.keysInTPM.map { key in
            try AttestedLoads.Load(key.role, point: key.point, privateArea: area, in: record)
        }
        let qualifying = try JoinChallenge.qualifying(secret, request: request.digest)
        // TPM_GENERATED_VALUE, the kind, who signs, what is signed besides, the clock and so on, and the digest.
        var statement: [UInt8] = [0xFF, 0x54, 0x43, 0x47] + BigEndian.bytes(kind)
        statement += GuardedKeyName.sized([0, 0x0B] + [UInt8](repeating: 4, count: 32))
        statement += GuardedKeyName.sized(qualifying) + [UInt8](repeating: 0, count: 17 + 8 + 1)
        statement += GuardedKeyName.sized(try AttestedLoads.digest(of: loads, under: parent))
        let signature = try (signer ?? attestation).signature(for: statement)
        return try JoinEvidence(
            request: request.digest, machine: machine, vault: claim, parent: parent,
            privateAreas: loads.map { _ in area }, loads: AttestedLoads(statement: statement, signature: signature))
    }
}
