import Cryptography

/// SHA-256 that throws this module's error.
enum Digest {
    static func sha256(_ bytes: [UInt8]) throws(TPMError) -> [UInt8] {
        do {
            return try SHA256.digest(bytes)
        } catch {
            throw TPMError(.other, "SHA-256 failed: \(error.reason)")
        }
    }
}
