import Cryptography

/// Why a file in the age format is not read or written. It never holds a secret.
public struct AgeError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The header does not follow the format.
        case malformedHeader
        /// The header was changed.
        case wrongMAC
        /// None of the keys, or not the passphrase, opens the file.
        case noMatch
        /// The content was changed or cut off.
        case damagedPayload
        /// The armor does not follow the format.
        case malformedArmor
        /// Text is no recipient or no identity.
        case malformedKey
        /// The file asks for more work than a file may.
        case tooCostly
        /// Memory or the cryptographic library.
        case failed
    }

    public let code: Code
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    init(_ error: CryptographyError) { self.init(.failed, error.reason) }

    public var description: String { reason }
}

/// Runs something cryptographic.
func cryptographic<Value: ~Copyable>(_ body: () throws(CryptographyError) -> Value) throws(AgeError) -> Value {
    do { return try body() } catch { throw AgeError(error) }
}
