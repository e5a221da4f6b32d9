import Cryptography

/// Why bytes are none of a circle's formats, or one of them cannot be made.
package enum CircleFormError: Error, Equatable, Sendable {
    /// Something is missing, left over, or longer than it may be.
    case length
    /// The first bytes are those of something else.
    case domain
    /// There is no such kind or role.
    case kind
    /// A list is not sorted, names something twice, or is empty.
    case order
    /// The signature is not by the signer's key, or its second number is in the upper half.
    case signature
    /// A format of another version.
    case version
    /// A number, a time or a flag is none that it may be.
    case range
    /// A padding or a text has not the one form that it may have.
    case form
    /// It belongs to another circle, device or run, or does not follow what is before it.
    case place
    /// The library that hashes has failed.
    case hash
}

/// SHA-256, whose failure is an error of the formats.
enum CircleDigest {
    static func of(_ bytes: [UInt8]) throws(CircleFormError) -> [UInt8] {
        do { return try SHA256.digest(bytes) } catch { throw .hash }
    }
}

/// For a library that fails.
///
/// - Throws: `.hash`.
func library<Value>(_ body: () throws(CryptographyError) -> Value) throws(CircleFormError) -> Value {
    do throws(CryptographyError) { return try body() } catch { throw .hash }
}
