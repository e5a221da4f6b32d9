import CTSS2
import Cryptography
import TestSupport
import Testing

@testable import TPM

/// The attacker has the files, the TPM, and one of what a signing key asks for, but never all of it.
struct SigningKeyTests {
    private static let statement = Array("add the new laptop".utf8)
    private static let otherStatement = Array("add the attacker".utf8)
    private static let password = [UInt8](0x61..<0x81)

    private let rig: Rig
    private let generation: GenerationIdentity
    private let stream: Key
    private let membership: Key

    private struct Key {
        let object: StoredObject
        let expected: ExpectedObject
        let point: [UInt8]
    }

    init() throws {
        let rig = try Rig()
        self.rig = rig
        generation = try Self.define(rig)
        stream = try Self.make(.passwordSigningKey, rig)
        membership = try Self.make(
            .guardedSigningKey(Policy(.signed(rig.policy), .generation(generation), .password)), rig)
        rig.recorder.reset()
    }

    // The simulator takes one connection at a time.
    private static func define(_ rig: Rig) throws -> GenerationIdentity {
        let context = try rig.access.open()
        return try context.defineGeneration(under: context.storageKey(rig.storageKey))
    }

    private static func make(
        _ kind: ExpectedObject.Kind, _ rig: Rig, password: [UInt8] = password
    ) throws -> Key {
        let context = try rig.access.open()
        let parent = try context.storageKey(rig.storageKey)
        let session = try context.startHMACSession(saltedTo: parent)
        let object = try context.makeSigningKey(
            kind, password: SecretBytes(copying: password), under: parent, session: session)
        let point = try PublicArea(marshalled: object.publicArea).point()
        return Key(object: object, expected: try ExpectedObject(signingKey: kind, point: point), point: point)
    }

    /// A signature by the password alone.
    private func sign(
        _ key: Key, _ message: [UInt8] = statement, password: [UInt8] = password
    ) throws -> [UInt8] {
        let context = try rig.access.open()
        let parent = try context.storageKey(rig.storageKey)
        let session = try context.startHMACSession(saltedTo: parent)
        let loaded = try context.loadSigningKey(key.object, key.expected, under: parent)
        return try loaded.sign(SHA256.digest(message), password: SecretBytes(copying: password), session)
    }

    /// A signature by the whole policy, or by less of it.
    private func signByPolicy(
        _ key: Key, _ message: [UInt8] = statement, allowed: [UInt8]? = nil, password: [UInt8] = password,
        isSigned: Bool = true, isShown: Bool = true, hasPassword: Bool = true
    ) throws -> [UInt8] {
        let context = try rig.access.open()
        let parent = try context.storageKey(rig.storageKey)
        let verification = try context.loadVerificationKey(rig.policy)
        let session = try context.startPolicySession(saltedTo: parent)
        let hash = try CommandParameterHash.sign(
            name: key.expected.name, digest: SHA256.digest(allowed ?? message))
        if isSigned {
            try session.authorize(
                rig.policy, by: verification, parameterHash: hash, signature: rig.sign(session.nonce(), hash))
        }
        verification.flush()
        if isShown { try session.show(generation) }
        if hasPassword { try session.requirePassword() }
        let loaded = try context.loadSigningKey(key.object, key.expected, under: parent)
        return try loaded.sign(SHA256.digest(message), password: SecretBytes(copying: password), session)
    }

    @Test func aStreamKeySignsByItsPassword() throws {
        let signature = try sign(stream)
        #expect(try P256.isValid(signature: signature, for: Self.statement, publicKey: stream.point))
        #expect(try !P256.isValid(signature: signature, for: Self.otherStatement, publicKey: stream.point))
        #expect(
            rig.recorder.names == ["TPM2_StartAuthSession", "TPM2_Load", "TPM2_Sign", "TPM2_FlushContext"])
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aMembershipKeySignsByItsWholePolicy() throws {
        let signature = try signByPolicy(membership)
        #expect(try P256.isValid(signature: signature, for: Self.statement, publicKey: membership.point))
        #expect(rig.recorder.count == 9, "\(rig.recorder.names)")
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func nothingLessThanTheWholePolicySigns() throws {
        #expect(code { _ = try signByPolicy(membership, isSigned: false) } == .policyRefused)
        #expect(code { _ = try signByPolicy(membership, isShown: false) } == .policyRefused)
        #expect(code { _ = try signByPolicy(membership, hasPassword: false) } == .policyRefused)
        // The password alone: `userWithAuth` is clear.
        #expect(code { _ = try sign(membership) } == .policyRefused)
        // Nor does a policy session replace the password of the other key.
        #expect(code { _ = try signByPolicy(stream) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aWrongPasswordSignsNothingAndLocksOutNobody() throws {
        let wrong = [UInt8](repeating: 0x77, count: 32)
        // More tries than any TPM takes before its lockout.
        for _ in 0..<35 { #expect(code { _ = try sign(stream, password: wrong) } == .policyRefused) }
        for _ in 0..<3 { #expect(code { _ = try signByPolicy(membership, password: wrong) } == .policyRefused) }
        #expect(code { _ = try sign(stream, password: []) } == .other)
        #expect(try P256.isValid(signature: sign(stream), for: Self.statement, publicKey: stream.point))
        #expect(
            try P256.isValid(signature: signByPolicy(membership), for: Self.statement, publicKey: membership.point))
        #expect(try rig.tpm.leftovers() == [])
    }

    /// The authenticator's signature is for one digest and one key.
    @Test func aSignatureForAnotherStatementOrKeyIsRefused() throws {
        #expect(
            code { _ = try signByPolicy(membership, Self.otherStatement, allowed: Self.statement) } == .policyRefused)
        let another = try Self.make(membership.expected.kind, rig)
        let crossed = Key(object: another.object, expected: another.expected, point: membership.point)
        let hash = try CommandParameterHash.sign(name: membership.expected.name, digest: SHA256.digest(Self.statement))
        #expect(
            try hash != CommandParameterHash.sign(name: crossed.expected.name, digest: SHA256.digest(Self.statement)))
        let attempt = code {
            let context = try rig.access.open()
            let parent = try context.storageKey(rig.storageKey)
            let verification = try context.loadVerificationKey(rig.policy)
            let session = try context.startPolicySession(saltedTo: parent)
            try session.authorize(
                rig.policy, by: verification, parameterHash: hash, signature: rig.sign(session.nonce(), hash))
            try session.show(generation)
            try session.requirePassword()
            let loaded = try context.loadSigningKey(crossed.object, crossed.expected, under: parent)
            _ = try loaded.sign(
                SHA256.digest(Self.statement), password: SecretBytes(copying: Self.password), session)
        }
        #expect(attempt == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func afterTheGenerationTheMembershipKeySignsNothing() throws {
        try rig.access.open().undefine(generation)
        #expect(code { _ = try signByPolicy(membership) } == .generationEnded)
        #expect(code { _ = try signByPolicy(membership, isShown: false) } == .policyRefused)
        // An index made in its place is another one.
        _ = try Self.define(rig)
        #expect(code { _ = try signByPolicy(membership) } == .policyRefused)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func thePasswordTravelsOnlyEncrypted() throws {
        _ = try Self.make(.passwordSigningKey, rig)
        _ = try sign(stream)
        _ = try signByPolicy(membership)
        for start in stride(from: 0, to: 32, by: 8) {
            #expect(!rig.recorder.contains(Array(Self.password[start..<start + 8])))
        }
        // The recorder does see what travels in clear.
        #expect(try rig.recorder.contains(SHA256.digest(Self.statement)))
    }

    @Test func anotherKeyIsRefusedBeforeTheTPMSeesIt() throws {
        let another = try Self.make(.passwordSigningKey, rig)
        let (data, sealed) = try rig.seal(try .random(count: 32), .openData)
        rig.recorder.reset()
        let attempts: [Key] = [
            // Another key of the same kind, and this key under another point.
            Key(object: another.object, expected: stream.expected, point: stream.point),
            Key(object: stream.object, expected: another.expected, point: another.point),
            // A key of another kind.
            Key(object: membership.object, expected: stream.expected, point: stream.point),
            Key(
                object: membership.object,
                expected: try ExpectedObject(signingKey: .passwordSigningKey, point: membership.point),
                point: membership.point),
            // Sealed data.
            Key(object: data, expected: sealed, point: stream.point),
        ]
        for attempt in attempts { #expect(code { _ = try sign(attempt) } == .damaged) }
        #expect(code { _ = try ExpectedObject(signingKey: .passwordSigningKey, point: []) } == .damaged)
        #expect(!rig.recorder.names.contains("TPM2_Load"))
        // The TPM itself refuses a private half that belongs to another public half.
        let mixed = StoredObject(publicArea: stream.object.publicArea, privateArea: another.object.privateArea)
        let attempt = Key(object: mixed, expected: stream.expected, point: stream.point)
        #expect(code { _ = try sign(attempt) } == .damaged)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func onlySigningKeysAreMadeAndOnlyADigestIsSigned() throws {
        #expect(code { _ = try Self.make(.openData, rig) } == .other)
        #expect(code { _ = try Self.make(.policyAgreementKey(rig.policy), rig) } == .other)
        #expect(code { _ = try Self.make(.passwordSigningKey, rig, password: []) } == .other)
        #expect(
            code { _ = try Self.make(.passwordSigningKey, rig, password: [UInt8](repeating: 1, count: 33)) } == .other)
        let attempt = code {
            let context = try rig.access.open()
            let parent = try context.storageKey(rig.storageKey)
            let session = try context.startHMACSession(saltedTo: parent)
            let loaded = try context.loadSigningKey(stream.object, stream.expected, under: parent)
            _ = try loaded.sign(
                [UInt8](repeating: 1, count: 31), password: SecretBytes(copying: Self.password), session)
        }
        #expect(attempt == .other)
        #expect(code { _ = try CommandParameterHash.sign(name: stream.expected.name, digest: []) } == .other)
        #expect(try rig.tpm.leftovers() == [])
    }

    /// The TPM drops zeros at the end of a password.
    @Test func aPasswordMayEndInZeros() throws {
        let password = [UInt8](repeating: 9, count: 30) + [0, 0]
        let key = try Self.make(.passwordSigningKey, rig, password: password)
        #expect(
            try P256.isValid(
                signature: sign(key, password: password), for: Self.statement, publicKey: key.point))
    }

    @Test func theTPMComputesTheSameNameAndPolicy() throws {
        let context = try rig.access.open()
        let parent = try context.storageKey(rig.storageKey)
        let loaded = try context.loadSigningKey(membership.object, membership.expected, under: parent)
        #expect(try context.name(of: loaded.reference) == membership.expected.name)
        let session = try context.startPolicySession(saltedTo: parent)
        try session.requirePassword()
        #expect(try session.digest() == Policy(.password).digest())
    }

    @Test func shortNumbersOfASignatureArePadded() throws {
        var signature = TPMT_SIGNATURE()
        signature.sigAlg = TPM2_ALG_ECDSA
        unsafe signature.signature.ecdsa.hash = TPM2_ALG_SHA256
        unsafe signature.signature.ecdsa.signatureR = try TPM2B_ECC_PARAMETER(content: [1, 2])
        unsafe signature.signature.ecdsa.signatureS = try TPM2B_ECC_PARAMETER(
            content: [UInt8](repeating: 3, count: 32))
        let zeros = [UInt8](repeating: 0, count: 30)
        #expect(try unsafe CStructures.bytes(&signature) == zeros + [1, 2] + [UInt8](repeating: 3, count: 32))
        unsafe signature.signature.ecdsa.signatureR = try TPM2B_ECC_PARAMETER(
            content: [UInt8](repeating: 1, count: 33))
        #expect(code { _ = try unsafe CStructures.bytes(&signature) } == .other)
        unsafe signature.signature.ecdsa.signatureR = TPM2B_ECC_PARAMETER()
        unsafe signature.signature.ecdsa.hash = TPM2_ALG_SHA384
        #expect(code { _ = try unsafe CStructures.bytes(&signature) } == .other)
    }
}
