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
        PublicArea(.verificationKey, .verificationKey, unique: [[UInt8](signer[1..<33]), [UInt8](signer[33..<65])])
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
