import Cryptography
import TestSupport

@testable import TPM

/// A secret that needs the authenticator's signature and a PIN.
struct BoundRig {
    static let pin = [UInt8](0x51..<0x71)

    let rig: Rig
    let index: PINIndexIdentity
    let secret: SecretBytes
    let object: StoredObject
    let expected: ExpectedObject

    init(tries: UInt32 = 3, pin: [UInt8] = pin, rig: Rig? = nil) throws {
        let rig = try rig ?? Rig()
        self.rig = rig
        index = try Self.define(pin, tries, rig)
        secret = try SecretBytes.random(count: 32)
        (object, expected) = try rig.seal(secret, .guardedData(Policy(.signed(rig.policy), .pin(index))))
    }

    private static func define(_ pin: [UInt8], _ tries: UInt32, _ rig: Rig) throws -> PINIndexIdentity {
        let context = try rig.access.open()
        return try context.definePINIndex(
            pin: SecretBytes(copying: pin), tries: tries, under: context.storageKey(rig.storageKey))
    }

    /// The whole way. `other` is a parameter hash in place of the right one, for the PIN alone.
    func open(_ pin: [UInt8] = BoundRig.pin, _ access: TPMAccess? = nil, hash other: [UInt8]? = nil) throws
        -> SecretBytes
    {
        let context = try (access ?? rig.access).open()
        let key = try context.storageKey(rig.storageKey)
        let index = try context.index(index)
        let verification = try context.loadVerificationKey(rig.policy)
        let session = try context.startPolicySession(saltedTo: key)
        let hash = try CommandParameterHash.unseal(name: expected.name)
        try session.authorize(
            rig.policy, by: verification, parameterHash: hash, signature: rig.sign(session.nonce(), hash))
        verification.flush()
        try session.authorize(
            pin: SecretBytes(copying: pin), of: index, parameterHash: other ?? hash,
            context.startHMACSession(saltedTo: key))
        let data = try context.loadSealedData(object, expected, under: key)
        return try data.unseal(session)
    }

    func tries() throws -> PINTries { try rig.access.open().tries(of: index) }
}
