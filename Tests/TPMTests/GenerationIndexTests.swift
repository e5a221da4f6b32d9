import Cryptography
import TestSupport
import Testing

@testable import TPM

/// The attacker has the files of an earlier generation, the authenticator's signing key, the TPM, and the owner's
/// (empty) password.
struct GenerationIndexTests {
    private let rig: Rig
    private let generation: GenerationIdentity
    private let secret: SecretBytes
    private let object: StoredObject
    private let expected: ExpectedObject

    init() throws {
        let rig = try Rig()
        self.rig = rig
        let generation = try Self.define(rig)
        self.generation = generation
        secret = try SecretBytes.random(count: 32)
        (object, expected) = try rig.seal(secret, .guardedData(Policy(.signed(rig.policy), .generation(generation))))
    }

    // The simulator takes one connection at a time.
    private static func define(_ rig: Rig) throws -> GenerationIdentity {
        let context = try rig.access.open()
        return try context.defineGeneration(under: context.storageKey(rig.storageKey))
    }

    private func undefine() throws { try rig.access.open().undefine(generation) }

    /// The whole way, with a good signature.
    private func open(showing: Bool = true) throws -> SecretBytes {
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        let verification = try context.loadVerificationKey(rig.policy)
        let session = try context.startPolicySession(saltedTo: key)
        let hash = try CommandParameterHash.unseal(name: expected.name)
        try session.authorize(
            rig.policy, by: verification, parameterHash: hash, signature: rig.sign(session.nonce(), hash))
        verification.flush()
        if showing { try session.show(generation) }
        let data = try context.loadSealedData(object, expected, under: key)
        return try data.unseal(session)
    }

    @Test func aGenerationOpensForOneCommandMore() throws {
        rig.recorder.reset()
        #expect(try open() == secret)
        #expect(rig.recorder.count == 8, "\(rig.recorder.names)")
        #expect(!rig.recorder.names.contains("TPM2_NV_ReadPublic"))
        #expect(code { _ = try open(showing: false) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anEndedGenerationOpensNothingWhoeverSigns() throws {
        try undefine()
        #expect(code { _ = try open() } == .generationEnded)
        #expect(code { _ = try open(showing: false) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    /// The same in everything that an attacker can choose.
    private func redefine() throws {
        let context = try rig.access.open()
        #expect(try context.defineRaw(generation.area) == 0)
        // No TPM accepts a definition that is already written.
        #expect(try context.defineRaw(generation.area.written) != 0)
    }

    private func writeRedefined() throws {
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        let writer = try OneTimeWriter()
        try writer.write([UInt8](repeating: 0, count: 8), to: context.unwritten(generation), context, under: key)
    }

    @Test func anIndexMadeInItsPlaceOpensNothing() throws {
        try undefine()
        try redefine()
        #expect(throws: TPMError.self) { try open() }
        // It is unwritten, and stays so. The owner may not write it, its empty password may not, and the key that could
        // is gone.
        let (tools, handle) = (["-T", rig.tpm.tools], generation.handle.description)
        let content = rig.tpm.folder.path + "/content"
        try Tool.output("sh", ["-c", "printf '\\0\\0\\0\\0\\0\\0\\0\\0' > \(content)"])
        for arguments in [["-C", "o"], ["-C", handle]] {
            #expect(try Tool.run("tpm2_nvwrite", tools + arguments + ["-i", content, handle]).status != 0)
        }
        #expect(throws: TPMError.self) { try writeRedefined() }
        #expect(throws: TPMError.self) { try open() }
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anIndexThatTheAttackerCanWriteHasAnotherName() throws {
        try undefine()
        let index = try Self.define(rig)
        #expect(index.handle == generation.handle && index != generation)
        #expect(code { _ = try open() } == .policyRefused)
    }

    @Test func theDigestIsTheTPMs() throws {
        let context = try rig.access.open()
        let session = try context.startTrialSession(saltedTo: context.storageKey(rig.storageKey))
        try session.show(generation)
        #expect(try session.digest() == Policy(.generation(generation)).digest())
    }
}
