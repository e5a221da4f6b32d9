import Authorization
import Circle
import Cryptography
import TPM
import TestSupport

@testable import Vault

/// A machine with a TPM of its own, and a vault that asks to join a circle.
struct TPMMachine {
    let tpm: SWTPM
    let sealer: TPMSealer
    let record: RegistryRecord
    let request: JoinRequest
    /// The keys of the request, in the order in which they are proved.
    let keys: [SealedObject]

    init() throws {
        tpm = try SWTPM()
        sealer = TPMSealer(TPMAccess.patient(tpm.configuration))
        let (vault, owner) = (try VaultID.random(), Owner.user(1000))
        let authenticator = try P256.PrivateKey.generate().publicKey
        let made = try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticator)
        record = RegistryRecord(
            vault: vault, owner: owner, ownerName: "tester", created: 1, sealer: .tpm, authenticatorKey: authenticator,
            storageKey: made.storageKey, counter: made.counter, objects: made.names, generation: made.generation)
        let pair = try sealer.makeSigningKeys(
            streamPassword: .random(count: 32), membershipPassword: .random(count: 32), record: record)
        let objects = SealedObjects(uniqueKeysWithValues: made.objects.map { ($0.role, $0) })
        var points: [UInt8] = []
        for role in [ObjectRole.presence, .biometryAny, .passcode] {
            points += try sealer.publicPoint(of: role, objects, record: record)
        }
        request = try Self.request(pair.membershipPoint + pair.streamPoint, points)
        keys = [pair.membership, pair.stream] + [.presence, .biometryAny, .passcode].compactMap { objects[$0] }
    }

    /// A request with these points of signing keys and of constraint keys.
    static func request(
        _ signing: [UInt8], _ guards: [UInt8], protection: KeyProtection = .tpm
    ) throws -> JoinRequest {
        let receiving = [UInt8](repeating: 7, count: 3 * 32)
        return try JoinRequest(
            keys: MemberKeys(bytes: signing + receiving + guards + Random.bytes(32)),
            oneTimeKey: [UInt8](repeating: 3, count: 32), protection: protection, name: MachineName(near: "laptop"),
            time: 1)
    }

    var identity: MachineIdentity { get throws { try sealer.machineIdentity() } }

    var claim: JoinEvidence.Claim {
        get throws {
            try .init(
                id: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey,
                generation: record.generation)
        }
    }

    /// The machine's answer to a challenge with this secret.
    ///
    /// - Parameters:
    ///   - keys: those that are loaded; nil for those of the request.
    ///   - areas: the private areas that are shown; nil for those of the keys.
    func evidence(
        _ secret: SecretBytes, for request: JoinRequest? = nil, loading keys: [SealedObject]? = nil,
        claim: JoinEvidence.Claim? = nil, areas: [[UInt8]]? = nil
    ) throws -> JoinEvidence {
        let (request, keys) = (request ?? self.request, keys ?? self.keys)
        let loads = try sealer.attest(
            keys, to: IdentityCredential(secret, for: identity), request: request.digest, record: record)
        return try JoinEvidence(
            request: request.digest, machine: identity, vault: claim ?? self.claim,
            parent: record.storageKey?.name ?? [], privateAreas: areas ?? keys.map(\.private), loads: loads)
    }
}
