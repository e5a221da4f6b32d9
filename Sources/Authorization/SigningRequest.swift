import Cryptography

/// What the authenticator signs: one use of one object, now (TPM 2.0 Part 3, TPM2_PolicySigned, "aHash").
public struct SigningRequest: Hashable, Sendable {
    /// The session's nonce, 32 bytes: it makes the signature good for this session only.
    public let nonce: [UInt8]
    /// The hash of the command and its parameters, 32 bytes: it makes the signature good for this object and, for a key, this item's point only.
    public let parameterHash: [UInt8]
    public let reference: PolicyReference

    /// - Returns: nil unless nonce and hash have 32 bytes each: with other lengths one could stand for another, or for none.
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
