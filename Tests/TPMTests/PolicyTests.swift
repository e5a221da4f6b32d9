import Cryptography
import TestSupport
import Testing

@testable import TPM

/// The attacker holds the broker's files and TPM and some signatures, but not the authenticator's key.
struct PolicyTests {
    @Test func aSignatureForThisSessionAndObjectOpens() throws {
        let rig = try Rig()
        let secret = try SecretBytes.random(count: 32)
        let (object, expected) = try rig.seal(secret, .policyData(rig.policy))
        rig.recorder.reset()
        #expect(try rig.unseal(object, expected) { try rig.sign($0, $1) } == secret)
        #expect(rig.recorder.count == 7)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func theTPMComputesTheSameNames() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let context = try rig.access.open()
        let data = try context.loadSealedData(object, expected, under: context.storageKey(rig.storageKey))
        #expect(try context.name(of: data.reference) == expected.name)
        #expect(try PublicRead.area(data.handle, context.engine.channel)?.name == expected.name)
        let verification = try context.loadVerificationKey(rig.policy)
        #expect(try PublicRead.area(verification.handle, context.engine.channel)?.name == rig.policy.signerArea.name())
    }

    @Test func noSignatureNoSecret() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let attempt = code {
            let context = try rig.access.open()
            let key = try context.storageKey(rig.storageKey)
            let session = try context.startPolicySession(saltedTo: key)
            let data = try context.loadSealedData(object, expected, under: key)
            _ = try data.unseal(session)
        }
        #expect(attempt == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func theEmptyPasswordDoesNotOpenWhatAPolicyGuards() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        #expect(code { _ = try rig.unsealOpen(object, expected) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aSignatureOverAnotherParameterHashIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let (_, other) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let otherHash = try CommandParameterHash.unseal(name: other.name)
        // Signed for another object and presented for this one: the signature does not match.
        #expect(
            code { _ = try rig.unseal(object, expected) { nonce, _ in try rig.sign(nonce, otherHash) } }
                == .policyRefused)
        // Presented for its own object and then used on this one: the session does not match.
        #expect(
            code { _ = try rig.unseal(object, expected, hash: otherHash) { try rig.sign($0, $1) } } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aReplayedSignatureIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        var kept: [UInt8] = []
        _ = try rig.unseal(object, expected) { nonce, hash in
            kept = try rig.sign(nonce, hash)
            return kept
        }
        #expect(code { _ = try rig.unseal(object, expected) { _, _ in kept } } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aSignatureForNoSessionInParticularIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        #expect(code { _ = try rig.unseal(object, expected) { _, hash in try rig.sign([], hash) } } == .policyRefused)
        #expect(code { _ = try rig.unseal(object, expected) { nonce, _ in try rig.sign(nonce, []) } } == .policyRefused)
        #expect(
            code { _ = try rig.unseal(object, expected, hash: []) { nonce, _ in try rig.sign(nonce, []) } }
                == .policyRefused)
    }

    @Test func aSignatureForAnotherReferenceIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let attempt = code {
            _ = try rig.unseal(object, expected) { try rig.sign($0, $1, Rig.otherReference) }
        }
        #expect(attempt == .policyRefused)
    }

    @Test func aSessionForAnotherReferenceDoesNotOpen() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let other = try SignedPolicy(signer: rig.signer.publicKey, reference: Rig.otherReference)
        let attempt = code {
            let context = try rig.access.open()
            let key = try context.storageKey(rig.storageKey)
            let verification = try context.loadVerificationKey(other)
            let session = try context.startPolicySession(saltedTo: key)
            let hash = try CommandParameterHash.unseal(name: expected.name)
            let signature = try rig.sign(session.nonce(), hash, Rig.otherReference)
            try session.authorize(other, by: verification, parameterHash: hash, signature: signature)
            let data = try context.loadSealedData(object, expected, under: key)
            _ = try data.unseal(session)
        }
        #expect(attempt == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anotherAuthenticatorsKeyIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let other = try P256.PrivateKey.generate()
        #expect(code { _ = try rig.unseal(object, expected) { try rig.sign($0, $1, by: other) } } == .policyRefused)
        // An object made under the other key's policy has another public area. Coffer refuses it before it loads it.
        let otherPolicy = try SignedPolicy(signer: other.publicKey, reference: Rig.reference)
        let (planted, _) = try rig.seal(try .random(count: 32), .policyData(otherPolicy))
        #expect(throws: TPMError(.damaged, "")) { try expected.checked(planted.publicArea) }
        let plantedName = ExpectedObject(
            name: try PublicArea(marshalled: planted.publicArea).name(), kind: expected.kind)
        #expect(throws: TPMError(.damaged, "")) { try plantedName.checked(planted.publicArea) }
    }

    @Test func aSignatureOfAWrongSizeNeverReachesTheTPM() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        for count in [0, 63, 65] {
            let attempt = code { _ = try rig.unseal(object, expected) { _, _ in [UInt8](repeating: 1, count: count) } }
            #expect(attempt == .policyRefused)
        }
        #expect(!rig.recorder.names.contains("TPM2_PolicySigned"))
    }

    @Test func agreementUnderAPolicyTakesSevenCommands() throws {
        let rig = try Rig()
        let (object, expected) = try rig.agreementKey()
        let ephemeral = try P256.PrivateKey.generate()
        let shared = try ephemeral.sharedSecret(with: PublicArea(marshalled: object.publicArea).point())
        rig.recorder.reset()
        #expect(try rig.agree(object, expected, point: ephemeral.publicKey) == shared)
        #expect(rig.recorder.count == 7)
        let bytes = shared.withBytes { span in span.indices.map { span[$0] } }
        #expect(bytes.count == 32)
        #expect(!rig.recorder.contains(bytes))
        #expect(!rig.recorder.contains([UInt8](bytes[8..<24])))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aSignatureForAnotherItemsPointIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.agreementKey()
        let (mine, other) = (try P256.PrivateKey.generate().publicKey, try P256.PrivateKey.generate().publicKey)
        #expect(code { _ = try rig.agree(object, expected, point: mine, signedPoint: other) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aPointOffTheCurveIsRefused() throws {
        let rig = try Rig()
        let (object, expected) = try rig.agreementKey()
        var point = try P256.PrivateKey.generate().publicKey
        point[64] ^= 1
        #expect(code { _ = try rig.agree(object, expected, point: point) } != nil)
        #expect(code { _ = try rig.agree(object, expected, point: []) } == .damaged)
        #expect(try rig.tpm.leftovers() == [])
    }
}
