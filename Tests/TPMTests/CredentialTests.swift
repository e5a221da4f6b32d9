import Cryptography
import Foundation
import TestSupport
import Testing

@testable import TPM

struct CredentialTests {
    private static let text = "a credential that nobody reads.."

    private func make(_ rig: Rig, _ secret: SecretBytes, _ access: TPMAccess? = nil) throws -> StoredCredential? {
        let context = try (access ?? rig.access).open()
        let key = try context.storageKey(rig.storageKey)
        return try context.makeCredential(secret, of: key, session: context.startHMACSession(saltedTo: key))
    }

    private func open(
        _ rig: Rig, _ credential: StoredCredential, _ name: [UInt8]? = nil, _ access: TPMAccess? = nil
    ) throws -> SecretBytes {
        let context = try (access ?? rig.access).open()
        let key = try context.storageKey(rig.storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        return try context.openCredential(credential, name: name ?? credential.name(), of: key, session)
    }

    @Test func itComesBackAndTravelsOnlyEncrypted() throws {
        let rig = try Rig()
        let secret = try SecretBytes(copying: Array(Self.text.utf8))
        let credential = try #require(try make(rig, secret))
        #expect(
            rig.recorder.names.suffix(4) == [
                "TPM2_StartAuthSession", "TPM2_MakeCredential", "TPM2_ActivateCredential", "TPM2_FlushContext",
            ])
        #expect(try open(rig, credential) == secret)
        #expect(!rig.recorder.contains(Array("credential".utf8)) && !rig.recorder.contains(Array("nobody".utf8)))
        // The recorder does see what travels in clear.
        #expect(rig.recorder.contains(credential.idObject) && rig.recorder.contains(credential.encryptedSecret))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func openingTakesTwoCommandsAndLeavesNothing() throws {
        let rig = try Rig()
        let credential = try #require(try make(rig, .random(count: 32)))
        rig.recorder.reset()
        _ = try open(rig, credential)
        #expect(rig.recorder.names == ["TPM2_StartAuthSession", "TPM2_ActivateCredential"])
        #expect(try rig.tpm.leftovers() == [])
    }

    /// Every valid size, and no invalid one.
    @Test func itIsOneToThirtyTwoBytes() throws {
        let rig = try Rig()
        for count in [1, 31, 32] {
            let secret = try SecretBytes.random(count: count)
            #expect(try open(rig, #require(try make(rig, secret))) == secret)
        }
        rig.recorder.reset()
        for count in [0, 33] { #expect(code { _ = try make(rig, .random(count: count)) } == .other) }
        #expect(!rig.recorder.names.contains("TPM2_MakeCredential"))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func noTwoAreAlike() throws {
        let rig = try Rig()
        let secret = try SecretBytes.random(count: 32)
        let (one, other) = (try #require(try make(rig, secret)), try #require(try make(rig, secret)))
        #expect(try one.name() != other.name())
        #expect(one.idObject != other.idObject && one.encryptedSecret != other.encryptedSecret)
        // Nothing is on the wire either. The answers that open them are encrypted with each session's secret.
        rig.recorder.reset()
        for _ in 0..<2 { _ = try open(rig, one) }
        let answers = rig.recorder.all.filter { $0.code == .activateCredential }.compactMap(\.answer)
        #expect(answers.count == 2 && answers[0][14..<48] != answers[1][14..<48])
    }

    /// Its name is not an object's, so only the record tells which kind it is.
    @Test func itsNameIsNoObjects() throws {
        let rig = try Rig()
        let name = try #require(try make(rig, .random(count: 32))).name()
        #expect(name.count == 34 && StoredCredential.isName(name))
        let (_, expected) = try rig.seal(.random(count: 32), .openData)
        #expect(!StoredCredential.isName(expected.name) && !StoredCredential.isName(rig.storageKey.name))
        #expect(!StoredCredential.isName([]) && !StoredCredential.isName([0]))
    }

    @Test func everyByteCounts() throws {
        let rig = try Rig()
        let credential = try #require(try make(rig, .random(count: 32)))
        let name = try credential.name()
        func altered(_ place: Int) -> StoredCredential {
            var (first, second) = (credential.encryptedSecret, credential.idObject)
            if place < first.count { first[place] ^= 1 } else { second[place - first.count] ^= 1 }
            return StoredCredential(encryptedSecret: first, idObject: second)
        }
        rig.recorder.reset()
        let count = credential.encryptedSecret.count + credential.idObject.count
        for place in 0..<count { #expect(code { _ = try open(rig, altered(place), name) } == .damaged) }
        // Data between the two parts counts as well.
        let moved = StoredCredential(
            encryptedSecret: credential.encryptedSecret + credential.idObject.prefix(1),
            idObject: Array(credential.idObject.dropFirst()))
        #expect(code { _ = try open(rig, moved, name) } == .damaged)
        #expect(!rig.recorder.names.contains("TPM2_ActivateCredential"))
        // If the altered one were pinned, the TPM itself would refuse it.
        for place in stride(from: 0, to: count, by: 9) {
            #expect(code { _ = try open(rig, altered(place)) } == .damaged, "byte \(place)")
        }
        #expect(try rig.tpm.leftovers() == [])
    }

    /// Somebody who can write the vault's file needs no TPM to make a credential for its storage key. The public half
    /// is enough.
    @Test func somebodyElsesIsRefusedBeforeTheTPMSeesIt() throws {
        let rig = try Rig()
        let credential = try #require(try make(rig, .random(count: 32)))
        let planted = try #require(try make(rig, SecretBytes(copying: [UInt8](repeating: 1, count: 32))))
        rig.recorder.reset()
        #expect(code { _ = try open(rig, planted, credential.name()) } == .damaged)
        #expect(!rig.recorder.names.contains("TPM2_ActivateCredential"))
        // The TPM would open it.
        #expect(try open(rig, planted) == SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
    }

    @Test func anotherTPMDoesNotOpenIt() throws {
        let (rig, other) = (try Rig(), try Rig())
        let credential = try #require(try make(rig, .random(count: 32)))
        #expect(code { _ = try open(other, credential) } == .damaged)
        #expect(try other.tpm.leftovers() == [])
    }

    /// A TPM may lack one of the commands, or refuse its own storage key in both roles. Then there is no credential,
    /// and that is not an error.
    @Test func whereTheTPMRefusesThereIsNone() throws {
        let refusals: [(CommandCode, UInt8, UInt8)] = [
            // TPM_RC_COMMAND_CODE, and TPM_RC_AUTH_UNAVAILABLE, TPM_RC_TYPE for the second handle.
            (.makeCredential, 0x01, 0x43), (.activateCredential, 0x01, 0x43), (.activateCredential, 0x01, 0x2F),
            (.activateCredential, 0x02, 0x8A),
        ]
        for (command, high, low) in refusals {
            let rig = try Rig()
            let tap = try WireTap(
                rig.tpm,
                answer: { asked, answer in
                    if isCommand(command, asked) { answer = [0x80, 0x01, 0, 0, 0, 10, 0, 0, high, low] }
                })
            #expect(try make(rig, .random(count: 32), TPMAccess.patient(tap.configuration)) == nil)
            #expect(try rig.tpm.leftovers() == [])
        }
    }

    /// A TPM that has no room or no time just then, and an answer that was changed on the way, are errors.
    @Test func whatPassesIsAnError() throws {
        let rig = try Rig()
        for (high, low) in [(UInt8(0x09), UInt8(0x22)), (0x09, 0x02), (0x09, 0x21), (0x01, 0x01)] {
            let tap = try WireTap(
                rig.tpm,
                answer: { asked, answer in
                    if isCommand(.makeCredential, asked) { answer = [0x80, 0x01, 0, 0, 0, 10, 0, 0, high, low] }
                })
            #expect(code { _ = try make(rig, .random(count: 32), TPMAccess.patient(tap.configuration)) } != nil)
        }
        for command in [CommandCode.makeCredential, .activateCredential] {
            let tap = try WireTap(
                rig.tpm, answer: { asked, answer in if isCommand(command, asked) { answer[20] ^= 1 } })
            #expect(code { _ = try make(rig, .random(count: 32), TPMAccess.patient(tap.configuration)) } != nil)
        }
        #expect(try rig.tpm.leftovers() == [])
    }

    /// Another program, which knows nothing of Coffer, opens it by the specification.
    @Test func itIsAnOrdinaryCredential() throws {
        let rig = try Rig()
        let secret = try SecretBytes(copying: Array(Self.text.utf8))
        let credential = try #require(try make(rig, secret))
        // tpm2-tools' own form: a number, a version, and the two structures.
        let file = rig.tpm.folder.path + "/credential"
        try Data([0xBA, 0xDC, 0xC0, 0xDE, 0, 0, 0, 1] + credential.idObject + credential.encryptedSecret)
            .write(to: URL(fileURLWithPath: file))
        let handle = "0x" + String(rig.storageKey.handle, radix: 16)
        try Tool.output(
            "tpm2_activatecredential",
            ["-T", rig.tpm.tools, "-c", handle, "-C", handle, "-i", file, "-o", file + ".opened"])
        #expect(try String(contentsOfFile: file + ".opened", encoding: .utf8) == Self.text)
        // And it makes one that opens here.
        try Tool.output("tpm2_readpublic", ["-T", rig.tpm.tools, "-Q", "-c", handle, "-o", file + ".pub"])
        let name = rig.storageKey.name.map { String(format: "%02x", $0) }.joined()
        try Tool.output(
            "tpm2_makecredential",
            ["-T", "none", "-Q", "-u", file + ".pub", "-s", file + ".opened", "-n", name, "-o", file + ".theirs"])
        let theirs = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file + ".theirs")).dropFirst(8))
        let middle = 2 + (Int(theirs[0]) << 8 | Int(theirs[1]))
        let adopted = StoredCredential(
            encryptedSecret: Array(theirs[middle...]), idObject: Array(theirs[..<middle]))
        #expect(try open(rig, adopted) == secret)
    }
}
