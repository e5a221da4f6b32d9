import Cryptography
import TestSupport
import Testing

@testable import TPM

struct SealingTests {
    @Test func aSealedSecretComesBackAndTravelsOnlyEncrypted() throws {
        let rig = try Rig()
        let secret = try SecretBytes(copying: Array("a secret that must not be read".utf8))
        let (object, expected) = try rig.seal(secret, .openData)
        #expect(try rig.unsealOpen(object, expected) == secret)
        #expect(!rig.recorder.contains(Array("a secret that must not be read".utf8)))
        #expect(!rig.recorder.contains(Array("must not".utf8)))
        // The recorder does see what travels in clear.
        #expect(rig.recorder.contains(object.publicArea))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func openingTheDeviceRootTakesFourCommands() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        rig.recorder.reset()
        _ = try rig.unsealOpen(object, expected)
        #expect(rig.recorder.names == ["TPM2_StartAuthSession", "TPM2_Load", "TPM2_Unseal", "TPM2_FlushContext"])
    }

    @Test func everySessionIsSalted() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        let (guarded, guardedExpected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        _ = try rig.unsealOpen(object, expected)
        _ = try rig.unseal(guarded, guardedExpected) { try rig.sign($0, $1) }
        let starts = rig.recorder.all.filter { $0.code == .startAuthSession }
        #expect(starts.count == 4)
        for start in starts {
            // tpmKey, the first handle, is the storage key. TPM_RH_NULL would mean no salt.
            #expect(start.command[10..<14].elementsEqual([0x81, 0x00, 0x00, 0x02]))
            // AES, 128 bits, CFB, SHA-256.
            #expect(start.command.suffix(8).elementsEqual([0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x0B]))
        }
    }

    @Test func twoSessionsEncryptTheSameSecretDifferently() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        rig.recorder.reset()
        _ = try rig.unsealOpen(object, expected)
        _ = try rig.unsealOpen(object, expected)
        let answers = rig.recorder.all.filter { $0.code == .unseal }.compactMap(\.answer)
        #expect(answers.count == 2)
        #expect(answers[0][14..<48] != answers[1][14..<48])
    }

    @Test func everyByteOfAnObjectCounts() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        for index in object.publicArea.indices {
            var altered = object.publicArea
            altered[index] ^= 1
            #expect(throws: TPMError(.damaged, "")) { try expected.checked(altered) }
        }
        for index in stride(from: 0, to: object.privateArea.count, by: 7) {
            var altered = object.privateArea
            altered[index] ^= 1
            let copy = StoredObject(publicArea: object.publicArea, privateArea: altered)
            #expect(code { _ = try rig.unsealOpen(copy, expected) } == .damaged)
        }
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func emptyAndOverlongSecretsAreRefused() throws {
        let rig = try Rig()
        #expect(code { _ = try rig.seal(try SecretBytes(copying: []), .openData) } == .other)
        #expect(code { _ = try rig.seal(try .random(count: 129), .openData) } == .other)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anObjectOfAnotherKindIsRefusedBeforeItIsLoaded() throws {
        let rig = try Rig()
        let (open, expectedOpen) = try rig.seal(try .random(count: 32), .openData)
        let claimed = ExpectedObject(name: expectedOpen.name, kind: .policyData(rig.policy))
        rig.recorder.reset()
        #expect(code { _ = try rig.unsealOpen(open, claimed) } == .damaged)
        #expect(!rig.recorder.names.contains("TPM2_Load"))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anObjectWithAnotherNameIsRefusedBeforeItIsLoaded() throws {
        let rig = try Rig()
        let (one, _) = try rig.seal(try .random(count: 32), .openData)
        let (_, expectedOther) = try rig.seal(try .random(count: 32), .openData)
        rig.recorder.reset()
        #expect(code { _ = try rig.unsealOpen(one, expectedOther) } == .damaged)
        #expect(!rig.recorder.names.contains("TPM2_Load"))
    }
}
