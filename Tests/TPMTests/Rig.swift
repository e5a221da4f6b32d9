import Cryptography
import TestSupport

@testable import TPM

/// A fresh TPM with a storage key, an authenticator's key, and a recorder on the wire.
final class Rig: Sendable {
    let tpm: SWTPM
    let recorder = CommandRecorder()
    let access: TPMAccess
    let signer: P256.PrivateKey
    let policy: SignedPolicy
    let storageKey: StorageKeyIdentity

    init() throws {
        tpm = try SWTPM()
        access = TPMAccess.patient(tpm.configuration, observer: recorder)
        signer = try P256.PrivateKey.generate()
        policy = try SignedPolicy(signer: signer.publicKey, reference: Rig.reference)
        storageKey = try access.open().provisionStorageKey().identity
        recorder.reset()
    }

    static let reference = [UInt8](repeating: 7, count: 32)
    static let otherReference = [UInt8](repeating: 8, count: 32)

    /// The message that an authenticator signs.
    func sign(_ nonce: [UInt8], _ hash: [UInt8], _ reference: [UInt8] = Rig.reference, by key: P256.PrivateKey? = nil)
        throws -> [UInt8]
    {
        try (key ?? signer).signature(for: nonce + [0, 0, 0, 0] + hash + reference)
    }

    func seal(_ secret: SecretBytes, _ kind: ExpectedObject.Kind) throws -> (StoredObject, ExpectedObject) {
        let context = try access.open()
        let key = try context.storageKey(storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        let object = try context.seal(secret, kind, under: key, session: session)
        return (object, ExpectedObject(name: try PublicArea(marshalled: object.publicArea).name(), kind: kind))
    }

    func agreementKey() throws -> (StoredObject, ExpectedObject) {
        let context = try access.open()
        let key = try context.storageKey(storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        let object = try context.makeAgreementKey(policy, under: key, session: session)
        let name = try PublicArea(marshalled: object.publicArea).name()
        return (object, ExpectedObject(name: name, kind: .policyAgreementKey(policy)))
    }

    func unsealOpen(_ object: StoredObject, _ expected: ExpectedObject, _ access: TPMAccess? = nil) throws
        -> SecretBytes
    {
        let context = try (access ?? self.access).open()
        let key = try context.storageKey(storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        let data = try context.loadSealedData(object, expected, under: key)
        return try data.unseal(session)
    }

    /// A whole unseal under a policy. The closure makes the signature from nonce and parameter hash.
    func unseal(
        _ object: StoredObject, _ expected: ExpectedObject, hash: [UInt8]? = nil,
        sign: (_ nonce: [UInt8], _ hash: [UInt8]) throws -> [UInt8]
    ) throws -> SecretBytes {
        let context = try access.open()
        let key = try context.storageKey(storageKey)
        let verification = try context.loadVerificationKey(policy)
        let session = try context.startPolicySession(saltedTo: key)
        let hash = try hash ?? CommandParameterHash.unseal(name: expected.name)
        try session.authorize(policy, by: verification, parameterHash: hash, signature: sign(session.nonce(), hash))
        verification.flush()
        let data = try context.loadSealedData(object, expected, under: key)
        return try data.unseal(session)
    }

    /// A whole agreement under a policy over `point`, signed for `signedPoint`.
    func agree(
        _ object: StoredObject, _ expected: ExpectedObject, point: [UInt8], signedPoint: [UInt8]? = nil
    ) throws -> SecretBytes {
        let context = try access.open()
        let key = try context.storageKey(storageKey)
        let verification = try context.loadVerificationKey(policy)
        let session = try context.startPolicySession(saltedTo: key)
        let hash = try CommandParameterHash.agree(name: expected.name, point: signedPoint ?? point)
        try session.authorize(policy, by: verification, parameterHash: hash, signature: sign(session.nonce(), hash))
        verification.flush()
        let agreement = try context.loadAgreementKey(object, expected, under: key)
        return try agreement.agree(with: point, session)
    }
}

/// The TPM error that a closure ends with, or nil.
func code(_ body: () throws -> Void) -> TPMError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? TPMError)?.code
    }
}
