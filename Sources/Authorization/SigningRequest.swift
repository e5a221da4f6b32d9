import Cryptography

/// What the authenticator signs: one use of one object, in one session (TPM 2.0 Part 3, TPM2_PolicySigned, "aHash").
public struct SigningRequest: Hashable, Sendable {
    /// The session's nonce, 32 bytes. It makes the signature valid for this session only.
    public let nonce: [UInt8]
    /// The hash of the command and its parameters, 32 bytes. It makes the signature valid only for this object and,
    /// with a key, only for this item's point.
    public let parameterHash: [UInt8]
    public let reference: PolicyReference

    /// - Returns: nil unless nonce and hash have 32 bytes each. With other lengths, one could pass for the other, or
    ///   for nothing.
    public init?(nonce: [UInt8], parameterHash: [UInt8], reference: PolicyReference) {
        guard nonce.count == 32, parameterHash.count == 32 else { return nil }
        self.nonce = nonce
        self.parameterHash = parameterHash
        self.reference = reference
    }

    /// `nonce ‖ expiration 0 ‖ parameter hash ‖ policy reference`, 100 bytes.
    public func message() throws(CryptographyError) -> [UInt8] {
        nonce + [0, 0, 0, 0] + parameterHash + (try reference.digest())
    }
}
