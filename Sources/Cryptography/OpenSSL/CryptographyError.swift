/// Why a cryptographic operation failed. No error carries a secret.
public struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The tag, key or associated data do not match what was sealed.
        case authenticationFailed
        /// An input or a requested output has a length that the operation does not support.
        case invalidLength
        /// The bytes are not a private key, public key or curve point, or must not be used as one.
        case invalidKey
        /// The bytes cannot be a signature.
        case invalidSignature
        /// There is no memory, or no room in the secure heap.
        case outOfMemory
        /// OpenSSL reported any other error; see `openSSLCode`.
        case library
    }

    public let code: Code
    public let reason: String
    /// The newest entry of OpenSSL's error queue; 0 if it was empty.
    public let openSSLCode: UInt

    public init(code: Code, reason: String, openSSLCode: UInt = 0) {
        self.code = code
        self.reason = reason
        self.openSSLCode = openSSLCode
    }

    public var description: String {
        openSSLCode == 0 ? reason : "\(reason) (OpenSSL error \(String(openSSLCode, radix: 16)))"
    }
}
