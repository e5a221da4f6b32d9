/// What must be shown, in this order, before the TPM uses an object. Its digest is computed here and never asked of a
/// TPM. TPM 2.0 Library, Part 1, section 19.7, and Part 3, chapter 23.
public struct Policy: Sendable, Hashable {
    public enum Step: Sendable, Hashable {
        /// `TPM2_PolicySigned`: a signature by this key for this reference.
        case signed(SignedPolicy)
        /// `TPM2_PolicySecret`: the PIN of this index, which counts the tries.
        case pin(PINIndexIdentity)
        /// `TPM2_PolicySecret`: the empty password of this index, which exists as long as the generation of keys.
        case generation(GenerationIdentity)
        /// `TPM2_PolicySecret`: the password of a hierarchy, by its handle.
        case hierarchy(UInt32)
        /// `TPM2_PolicyPCR`: these measurements.
        case measured(PCRState)
        /// `TPM2_PolicyOR`: the steps before must have given one of these digests (2 to 8, of 32 bytes).
        case alternatives([[UInt8]])
        /// `TPM2_PolicyAuthorizeNV`: the steps before must be the policy that this index holds. It can only be the
        /// first step here, because it resets the digest of the steps before.
        case approved(PolicyIndexIdentity)
        /// `TPM2_PolicyAuthValue`: the object's own password, proved by the session's HMAC.
        case password
    }

    public let steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    public init(_ steps: Step...) { self.steps = steps }

    /// The authPolicy of the guarded object, 32 bytes.
    ///
    /// - Throws: `.damaged` for steps that no TPM could take.
    public func digest() throws(TPMError) -> [UInt8] {
        var digest = PolicyDigest()
        for (index, step) in steps.enumerated() {
            if case .approved = step, index > 0 {
                throw TPMError(.damaged, "an approved policy comes before every other step of a policy")
            }
            try digest.take(step)
        }
        return digest.bytes
    }

    /// The signature among the steps, if there is one.
    var signature: SignedPolicy? {
        for case .signed(let policy) in steps { return policy }
        return nil
    }
}

/// The policyDigest of a session, updated step by step. Part 1, "Policy Digest Update Function".
struct PolicyDigest {
    private(set) var bytes = [UInt8](repeating: 0, count: 32)

    mutating func take(_ step: Policy.Step) throws(TPMError) {
        switch step {
        case .signed(let policy):
            try update(.policySigned, name: try policy.signerArea.name(), reference: policy.reference)
        case .pin(let index):
            try update(.policySecret, name: try index.name(), reference: [])
        case .generation(let index):
            try update(.policySecret, name: try index.name(), reference: [])
        case .hierarchy(let handle):
            var name: [UInt8] = []
            name.append(handle)
            try update(.policySecret, name: name, reference: [])
        case .measured(let state):
            try extend(.policyPCR, state.selection.marshalled + state.digest)
        case .alternatives(let digests):
            guard (2...8).contains(digests.count), digests.allSatisfy({ $0.count == 32 }) else {
                throw TPMError(.damaged, "a policy has two to eight alternatives of 32 bytes")
            }
            bytes = [UInt8](repeating: 0, count: 32)
            try extend(.policyOr, digests.flatMap { $0 })
        case .approved(let index):
            bytes = [UInt8](repeating: 0, count: 32)
            try extend(.policyAuthorizeNV, try index.name())
        case .password:
            try extend(.policyAuthValue, [])
        }
    }

    private mutating func extend(_ command: CommandCode, _ argument: [UInt8]) throws(TPMError) {
        var input = bytes
        input.append(command.rawValue)
        bytes = try Digest.sha256(input + argument)
    }

    private mutating func update(_ command: CommandCode, name: [UInt8], reference: [UInt8]) throws(TPMError) {
        try extend(command, name)
        bytes = try Digest.sha256(bytes + reference)
    }
}

/// The policy of one `TPM2_PolicySigned`. Only a signature by this key, for this reference, opens the object.
public struct SignedPolicy: Sendable, Hashable {
    /// The signing key's public point, 65 bytes.
    public let signer: [UInt8]
    /// policyRef, 32 bytes.
    public let reference: [UInt8]

    /// - Throws: `.damaged` unless the point has 65 bytes and the reference 32.
    public init(signer: [UInt8], reference: [UInt8]) throws(TPMError) {
        _ = try CommandParameterHash.coordinates(of: signer)
        guard reference.count == 32 else { throw TPMError(.damaged, "a policy reference is not 32 bytes") }
        self.signer = signer
        self.reference = reference
    }

    /// The signer as an object in the TPM.
    var signerArea: PublicArea {
        PublicArea(.signatureKey, .verificationKey, unique: [[UInt8](signer[1..<33]), [UInt8](signer[33..<65])])
    }

    /// The authPolicy of the guarded object, 32 bytes. TPM 2.0 Library, Part 3, "TPM2_PolicySigned", and Part 1,
    /// "PolicyUpdate".
    public func digest() throws(TPMError) -> [UInt8] {
        var first = [UInt8](repeating: 0, count: 32)
        first.append(CommandCode.policySigned.rawValue)
        first += try signerArea.name()
        return try Digest.sha256(try Digest.sha256(first) + reference)
    }
}
