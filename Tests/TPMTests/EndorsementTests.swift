import Cryptography
import Foundation
import TestSupport
import Testing

@testable import TPM

/// The attacker puts a simulator, or another TPM, in front of the real one.
struct EndorsementTests {
    private func endorsement(_ rig: Rig, _ roots: [Certificate], _ access: TPMAccess? = nil) throws -> Endorsement {
        let context = try (access ?? rig.access).open()
        return try context.endorsement(of: context.storageKey(rig.storageKey), roots: roots)
    }

    @Test(arguments: EndorsementTemplate.allCases)
    func aCertifiedTPMIsKnownByItsMaker(template: EndorsementTemplate) throws {
        let (rig, maker, stranger) = (try Rig(), try TPMMaker(), try TPMMaker())
        try maker.certify(rig.tpm, template)
        let certified = try endorsement(rig, [maker.root])
        #expect(certified.standing == .certified)
        #expect(certified.name.count == 34)
        #expect(try endorsement(rig, [maker.root, stranger.root]) == certified)
        #expect(try endorsement(rig, [stranger.root]).standing == .issuerUnknown)
        #expect(try endorsement(rig, []).standing == .issuerUnknown)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aTPMWithoutCertificateIsPinnedByItsKey() throws {
        let (rig, other) = (try Rig(), try Rig())
        let first = try endorsement(rig, [])
        #expect(first.standing == .noCertificate)
        #expect(try endorsement(rig, []) == first)
        #expect(try endorsement(other, []).name != first.name)
        // Clearing the owner's hierarchy leaves the identity.
        try rig.tpm.clear()
        let key = try rig.access.open().provisionStorageKey().identity
        let context = try rig.access.open()
        #expect(try context.endorsement(of: context.storageKey(key), roots: []).name == first.name)
    }

    @Test func aCertificateOfAnotherTPMProvesNothing() throws {
        let (rig, genuine, maker) = (try Rig(), try Rig(), try TPMMaker())
        try maker.certify(genuine.tpm, into: rig.tpm)
        #expect(try endorsement(rig, [maker.root]).standing == .foreignCertificate)
    }

    @Test func aCertificateForAnotherPurposeProvesNothing() throws {
        let (rig, maker) = (try Rig(), try TPMMaker())
        try maker.certify(rig.tpm, purpose: "1.3.6.1.5.5.7.3.1")
        #expect(try endorsement(rig, [maker.root]).standing == .foreignCertificate)
    }

    @Test func whoOnlyShowsTheCertifiedKeyIsFoundOut() throws {
        let (rig, genuine, maker) = (try Rig(), try Rig(), try TPMMaker())
        // The attacker's TPM shows the certificate, the public key and the Name of a genuine one.
        try maker.certify(genuine.tpm, into: rig.tpm)
        let (theirs, mine) = (try key(genuine), try key(rig))
        let tap = try WireTap(
            rig.tpm,
            answer: { command, answer in
                guard isCommand(.createPrimary, command) else { return }
                for (old, new) in zip(mine, theirs) { Self.replace(&answer, old, new) }
            })
        #expect(code { _ = try endorsement(rig, [maker.root], TPMAccess.patient(tap.configuration)) } == .replaced)
        // Without the change it is only somebody else's certificate.
        #expect(try endorsement(rig, [maker.root]).standing == .foreignCertificate)
    }

    @Test func anAlteredAnswerIsFoundOut() throws {
        let rig = try Rig()
        let tap = try WireTap(
            rig.tpm,
            answer: { command, answer in
                if isCommand(.readPublic, command), command[1] == 2 { answer[answer.count - 1] ^= 1 }
            })
        #expect(code { _ = try endorsement(rig, [], TPMAccess.patient(tap.configuration)) } == .replaced)
    }

    @Test func whatIsNoCertificateIsSaid() throws {
        let rig = try Rig()
        let tools = ["-T", rig.tpm.tools, "-Q", "-C", "p"]
        try Tool.output(
            "tpm2_nvdefine",
            tools + ["-s", "8", "-a", "ppwrite|ppread|ownerread|authread|no_da|platformcreate", "0x1c0000a"])
        // An index that was never written counts as missing.
        #expect(try endorsement(rig, []).standing == .noCertificate)
        let content = rig.tpm.folder.path + "/content"
        try Data([0x30, 0x82, 0xFF, 0xFF, 0, 0, 0, 0]).write(to: URL(fileURLWithPath: content))
        try Tool.output("tpm2_nvwrite", tools + ["-i", content, "0x1c0000a"])
        #expect(code { _ = try endorsement(rig, []) } == .damaged)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anEndorsementPasswordIsSaidInWords() throws {
        let rig = try Rig()
        try Tool.output("tpm2_changeauth", ["-T", rig.tpm.tools, "-c", "endorsement", "hunter2"])
        do {
            _ = try endorsement(rig, [])
            Issue.record("an identity was shown")
        } catch {
            #expect((error as? TPMError)?.reason.contains("endorsement password") == true)
        }
    }

    /// The parts of a TPM's answer that tell which endorsement key it is.
    private func key(_ rig: Rig) throws -> [[UInt8]] {
        let context = try rig.access.open()
        let key = try context.endorsementKey(.ecc)
        guard case .p256(let point) = key.publicKey else { return [] }
        return [[UInt8](point[1..<33]), [UInt8](point[33..<65]), key.name]
    }

    private static func replace(_ bytes: inout [UInt8], _ old: [UInt8], _ new: [UInt8]) {
        for start in 0...(bytes.count - old.count) where bytes[start..<start + old.count].elementsEqual(old) {
            bytes.replaceSubrange(start..<start + old.count, with: new)
        }
    }
}
