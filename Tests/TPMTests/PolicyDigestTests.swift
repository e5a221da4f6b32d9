import Cryptography
import TestSupport
import Testing

@testable import TPM

/// Coffer computes policies itself. A TPM must get the same digest.
struct PolicyDigestTests {
    @Test func theTPMComputesTheSameForARealSession() throws {
        let boot = try BootRig()
        let bound = try BoundRig(rig: boot.rig)
        let context = try boot.rig.access.open()
        let key = try context.storageKey(boot.rig.storageKey)
        let session = try context.startPolicySession(saltedTo: key)
        try session.approve(boot.boots, by: context.index(boot.index))
        #expect(try session.digest() == Policy(.approved(boot.index)).digest())
        let verification = try context.loadVerificationKey(boot.rig.policy)
        let hash = [UInt8](repeating: 5, count: 32)
        try session.authorize(
            boot.rig.policy, by: verification, parameterHash: hash,
            signature: boot.rig.sign(session.nonce(), hash))
        #expect(try session.digest() == Policy(.approved(boot.index), .signed(boot.rig.policy)).digest())
        try session.authorize(
            pin: SecretBytes(copying: BoundRig.pin), of: context.index(bound.index), parameterHash: hash,
            context.startHMACSession(saltedTo: key))
        let whole = Policy(.approved(boot.index), .signed(boot.rig.policy), .pin(bound.index))
        #expect(try session.digest() == whole.digest())
    }

    @Test func theTPMComputesTheSameInATrialSession() throws {
        let rig = try Rig()
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        let state = try PCRState(selection: PCRSelection([0, 7, 23]), digest: [UInt8](repeating: 4, count: 32))
        let trial = try context.startTrialSession(saltedTo: key)
        // A trial session compares nothing.
        try trial.measure(state)
        #expect(try trial.digest() == Policy(.measured(state)).digest())
        let digests = try [Policy(.measured(state)).digest(), [UInt8](repeating: 1, count: 32)]
        try trial.choose(digests)
        #expect(try trial.digest() == Policy(.alternatives(digests)).digest())
        let verification = try context.loadVerificationKey(rig.policy)
        try trial.authorize(
            rig.policy, by: verification, parameterHash: [UInt8](repeating: 5, count: 32),
            signature: [UInt8](repeating: 1, count: 64))
        #expect(try trial.digest() == Policy(.alternatives(digests), .signed(rig.policy)).digest())
        #expect(try Policy(.signed(rig.policy)).digest() == rig.policy.digest())
    }

    @Test func thePolicyOfEndorsementKeysIsTheProfilesConstant() throws {
        // TCG EK Credential Profile, "PolicyA" for SHA-256.
        #expect(
            try Policy(.hierarchy(0x4000_000B)).digest() == [
                0x83, 0x71, 0x97, 0x67, 0x44, 0x84, 0xB3, 0xF8, 0x1A, 0x90, 0xCC, 0x8D, 0x46, 0xA5, 0xD7, 0x24,
                0xFD, 0x52, 0xD7, 0x6E, 0x06, 0x52, 0x0B, 0x64, 0xF2, 0xA1, 0xDA, 0x1B, 0x33, 0x14, 0x69, 0xAA,
            ])
    }

    @Test func orderAndEveryPartCount() throws {
        let (rig, policies) = (try Rig(), try parts())
        _ = rig
        var digests: Set<[UInt8]> = []
        for policy in policies { digests.insert(try policy.digest()) }
        #expect(digests.count == policies.count)
    }

    @Test func impossiblePoliciesAreRefused() throws {
        let signed = try SignedPolicy(signer: P256.PrivateKey.generate().publicKey, reference: Rig.reference)
        let index = try PolicyIndexIdentity(handle: #require(NVHandle(rawValue: 0x01B0_C000)), policy: signed.digest())
        #expect(throws: TPMError(.damaged, "")) { try Policy(.signed(signed), .approved(index)).digest() }
        #expect(throws: TPMError(.damaged, "")) { try Policy(.alternatives([signed.digest()])).digest() }
        #expect(throws: TPMError(.damaged, "")) { try Policy(.alternatives([signed.digest(), [1]])).digest() }
        #expect(throws: TPMError(.damaged, "")) {
            try Policy(.alternatives([[UInt8]](repeating: signed.digest(), count: 9))).digest()
        }
        #expect(throws: TPMError(.damaged, "")) { try PCRSelection([]) }
        #expect(throws: TPMError(.damaged, "")) { try PCRSelection([24]) }
        #expect(throws: TPMError(.damaged, "")) { try PCRSelection([-1]) }
        #expect(throws: TPMError(.damaged, "")) { try ApprovedBoots([]) }
    }

    private func parts() throws -> [Policy] {
        let handle = try #require(NVHandle(rawValue: 0x01B0_C000))
        let other = try #require(NVHandle(rawValue: 0x01B0_C001))
        let zeros = [UInt8](repeating: 0, count: 32)
        let signed = try SignedPolicy(signer: P256.PrivateKey.generate().publicKey, reference: Rig.reference)
        let (one, two) = (try PCRSelection([7]), try PCRSelection([7, 11]))
        return [
            Policy(), Policy(.signed(signed)),
            try Policy(.signed(SignedPolicy(signer: signed.signer, reference: Rig.otherReference))),
            try Policy(.pin(PINIndexIdentity(handle: handle, policy: zeros))),
            try Policy(.pin(PINIndexIdentity(handle: other, policy: zeros))),
            try Policy(.pin(PINIndexIdentity(handle: handle, policy: signed.digest()))),
            try Policy(.signed(signed), .pin(PINIndexIdentity(handle: handle, policy: zeros))),
            try Policy(.pin(PINIndexIdentity(handle: handle, policy: zeros)), .signed(signed)),
            try Policy(.approved(PolicyIndexIdentity(handle: handle, policy: zeros))),
            try Policy(.approved(PolicyIndexIdentity(handle: handle, policy: signed.digest()))),
            try Policy(.measured(PCRState(selection: one, digest: zeros))),
            try Policy(.measured(PCRState(selection: two, digest: zeros))),
            Policy(.hierarchy(0x4000_000B)), Policy(.alternatives([zeros, Rig.reference])),
            Policy(.password), Policy(.signed(signed), .password), Policy(.password, .signed(signed)),
        ]
    }
}
