import Cryptography
import TestSupport

@testable import TPM

/// A secret that needs an approved boot and the authenticator's signature, and the key that approves boots.
struct BootRig {
    let rig: Rig
    let selection: PCRSelection
    let approver: P256.PrivateKey
    let writer: SignedPolicy
    let boots: ApprovedBoots
    let index: PolicyIndexIdentity
    let secret: SecretBytes
    let object: StoredObject
    let expected: ExpectedObject

    init() throws {
        let rig = try Rig()
        let approver = try P256.PrivateKey.generate()
        let writer = try SignedPolicy(signer: approver.publicKey, reference: [UInt8](repeating: 0xB0, count: 32))
        selection = try PCRSelection([4, 7])
        boots = try ApprovedBoots([try rig.access.open().state(of: selection)])
        rig.recorder.reset()
        index = try Self.define(rig, boots, writer, approver)
        secret = try SecretBytes.random(count: 32)
        (object, expected) = try rig.seal(secret, .guardedData(Policy(.approved(index), .signed(rig.policy))))
        (self.rig, self.approver, self.writer) = (rig, approver, writer)
    }

    static func define(_ rig: Rig, _ boots: ApprovedBoots, _ writer: SignedPolicy, _ key: P256.PrivateKey) throws
        -> PolicyIndexIdentity
    {
        let context = try rig.access.open()
        return try context.definePolicyIndex(
            approving: boots, writer: writer, under: context.storageKey(rig.storageKey)
        ) { (message) throws(TPMError) in try Self.sign(message, key) }
    }

    static func sign(_ message: [UInt8], _ key: P256.PrivateKey) throws(TPMError) -> [UInt8] {
        do throws(CryptographyError) {
            return try key.signature(for: message)
        } catch {
            throw TPMError(.other, error.reason)
        }
    }

    func now() throws -> PCRState { try rig.access.open().state(of: selection) }

    typealias Sign = (_ message: [UInt8]) throws(TPMError) -> [UInt8]

    func approve(_ boots: ApprovedBoots, _ access: TPMAccess? = nil, sign: Sign? = nil) throws {
        let context = try (access ?? rig.access).open()
        let key = approver
        let own: Sign = { (message) throws(TPMError) in try Self.sign(message, key) }
        try context.approve(
            boots, in: index, writer: writer, under: context.storageKey(rig.storageKey), sign: sign ?? own)
    }

    func open(_ boots: ApprovedBoots) throws -> SecretBytes {
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        let index = try context.index(index)
        let session = try context.startPolicySession(saltedTo: key)
        try session.approve(boots, by: index)
        let verification = try context.loadVerificationKey(rig.policy)
        let hash = try CommandParameterHash.unseal(name: expected.name)
        try session.authorize(
            rig.policy, by: verification, parameterHash: hash, signature: rig.sign(session.nonce(), hash))
        verification.flush()
        let data = try context.loadSealedData(object, expected, under: key)
        return try data.unseal(session)
    }

    /// Something else is started, so there is one more measurement.
    func measure(_ register: Int, _ digest: [UInt8]) throws {
        try rig.tpm.measure(register, digest)
    }

    /// Power off and on: the registers start again.
    func restart() throws {
        try rig.tpm.powerCycle()
    }
}
