import Cryptography
import Foundation
import TestSupport
import Testing

@testable import TPM

struct StorageKeyTests {
    static let template = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt"

    /// A primary key made by other software and kept at 0x81000001.
    func plant(
        _ tpm: SWTPM, attributes: String = template, algorithm: String = "ecc256:aes128cfb", extra: [String] = []
    ) throws {
        let context = tpm.folder.path + "/primary.ctx"
        try Tool.output(
            "tpm2_createprimary",
            ["-T", tpm.tools, "-Q", "-C", "o", "-g", "sha256", "-G", algorithm, "-a", attributes, "-c", context] + extra
        )
        try Tool.output("tpm2_evictcontrol", ["-T", tpm.tools, "-Q", "-C", "o", "-c", context, "0x81000001"])
        // Over swtpm nothing flushes for the tools.
        try Tool.output("tpm2_flushcontext", ["-T", tpm.tools, "-t"])
    }

    /// A file with X and Y of 32 equal bytes each, in the memory layout of tpm2-tools: 128 bytes of room each.
    func unique(_ tpm: SWTPM, _ x: UInt8, _ y: UInt8) throws -> String {
        let path = tpm.folder.path + "/unique"
        let parts = [x, y].map { [32, 0] + [UInt8](repeating: $0, count: 32) + [UInt8](repeating: 0, count: 96) }
        try Data(parts[0] + parts[1]).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aFreshTPMGetsAKeyOfOursAndKeepsIt() throws {
        let rig = try Rig()
        #expect(rig.storageKey.handle == 0x8100_0002)
        let again = try rig.access.open().provisionStorageKey().identity
        #expect(again == rig.storageKey)
        #expect(try rig.tpm.persistentHandles() == ["0x81000002"])
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func thePlatformsStandardKeyIsUsed() throws {
        let tpm = try SWTPM()
        try plant(tpm)
        let identity = try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity
        #expect(identity.handle == 0x8100_0001)
        #expect(try tpm.persistentHandles() == ["0x81000001"])
        #expect(try tpm.leftovers() == [])
    }

    @Test func theKeyWindowsMakesIsUsed() throws {
        let tpm = try SWTPM()
        try plant(tpm, extra: ["-u", unique(tpm, 0, 0)])
        let identity = try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity
        #expect(identity.handle == 0x8100_0001)
    }

    @Test(arguments: [
        ("fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|decrypt", "ecc256:aes128cfb"),
        (template, "rsa2048:aes128cfb"), (template, "ecc384:aes128cfb"), (template, "ecc256:aes256cfb"),
    ])
    func aKeyOfAnotherKindIsNotUsed(attributes: String, algorithm: String) throws {
        let tpm = try SWTPM()
        try plant(tpm, attributes: attributes, algorithm: algorithm)
        #expect(try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity.handle == 0x8100_0002)
    }

    @Test func aKeyWithAPasswordIsNotUsed() throws {
        let tpm = try SWTPM()
        try plant(tpm, extra: ["-p", "hunter2"])
        #expect(try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity.handle == 0x8100_0002)
        #expect(try tpm.leftovers() == [])
    }

    @Test func aKeyFromAnotherSeedIsNotUsed() throws {
        let tpm = try SWTPM()
        // The same public area except for `unique`. It looks right, but the TPM does not derive it from the template.
        try plant(tpm, extra: ["-u", unique(tpm, 1, 2)])
        #expect(try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity.handle == 0x8100_0002)
    }

    @Test func anOwnerPasswordIsSaidInWords() throws {
        let tpm = try SWTPM()
        try Tool.output("tpm2_changeauth", ["-T", tpm.tools, "-c", "owner", "hunter2"])
        do {
            _ = try TPMAccess.patient(tpm.configuration).open().provisionStorageKey().identity
            Issue.record("a key was made")
        } catch {
            #expect(error.code == .ownerPasswordSet)
            #expect(error.reason.contains("owner password"))
            #expect(error.responseCode != 0)
        }
        #expect(try tpm.leftovers() == [])
    }

    @Test func aClearedTPMIsReplaced() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        try rig.tpm.clear()
        #expect(diagnosis(rig, object, expected) == .replaced)
        // Also if another key has taken its place.
        _ = try rig.access.open().provisionStorageKey().identity
        #expect(diagnosis(rig, object, expected) == .replaced)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anotherTPMIsReplaced() throws {
        let (rig, other) = (try Rig(), try Rig())
        let (object, expected) = try rig.seal(try .random(count: 32), .openData)
        #expect(diagnosis(rig, object, expected, other.access) == .replaced)
        #expect(try other.tpm.leftovers() == [])
    }

    @Test func aPinThatContradictsItselfIsReplaced() throws {
        let rig = try Rig()
        let pin = rig.storageKey
        let otherName = StorageKeyIdentity(handle: pin.handle, name: pin.name.reversed(), context: pin.context)
        let otherHandle = StorageKeyIdentity(handle: 0x8100_0003, name: pin.name, context: pin.context)
        for wrong in [otherName, otherHandle] {
            #expect(code { _ = try rig.access.open().storageKey(wrong).identity } == .replaced)
        }
        #expect(rig.recorder.count == 0)
    }

    @Test func aPinOfAnotherLibraryVersionIsComparedWithTheTPM() throws {
        let rig = try Rig()
        let pin = rig.storageKey
        let foreign = StorageKeyIdentity(handle: pin.handle, name: pin.name, context: [1, 2, 3])
        #expect(try rig.access.open().storageKey(foreign).identity == foreign)
        #expect(rig.recorder.names == ["TPM2_ReadPublic"])
        let wrong = StorageKeyIdentity(handle: pin.handle, name: pin.name.reversed(), context: [])
        #expect(code { _ = try rig.access.open().storageKey(wrong).identity } == .replaced)
    }

    func diagnosis(_ rig: Rig, _ object: StoredObject, _ expected: ExpectedObject, _ access: TPMAccess? = nil)
        -> TPMError.Code?
    {
        do {
            _ = try rig.unsealOpen(object, expected, access)
            return nil
        } catch {
            guard let error = error as? TPMError else { return nil }
            // The operation has ended. This is a new question.
            return (try? (access ?? rig.access).open().diagnosed(error, rig.storageKey))?.code
        }
    }
}
