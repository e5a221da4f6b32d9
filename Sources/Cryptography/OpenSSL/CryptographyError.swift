/// Why a cryptographic operation did not happen. No error carries anything secret.
public struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A tag, a key or associated data do not fit: what was opened is not what was sealed.
        case authenticationFailed
        /// An input or a requested output has a length that the operation does not take.
        case invalidLength
        /// A private key, public key or curve point that is none, or that must not be used.
        case invalidKey
        /// Bytes that cannot be a signature.
        case invalidSignature
        /// No memory, or no room left in the secure heap.
        case outOfMemory
        /// Anything else OpenSSL reported; `openSSLCode` says what.
        case library
    }

    public let code: Code
    public let reason: String
    /// The newest entry of OpenSSL's error queue, 0 where there was none.
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
