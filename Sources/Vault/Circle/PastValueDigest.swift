import Authorization
import Circle
import Cryptography

/// What is kept of a value that is no longer given out, so that somebody can still tell whether a present value is the same
/// (docs/sync-format.md, “Compaction”). Only who has the generation's key for values that are when-unlocked can make one.
package enum PastValueDigest {
    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.past".utf8))
    private static let count = 8

    /// - Parameter item: the id whose field the value was given to.
    /// - Returns: eight bytes as a number; nil while the generation's key is not at hand.
    package static func of(
        _ plain: SecretBytes, in item: SharedItemID, _ generation: StatementName, _ halves: GenerationHalves
    ) throws(CryptographyError) -> UInt64? {
        guard let half = halves.classes[.whenUnlocked] else { return nil }
        let digest = try HKDF.derive(
            .concatenating([half.rawRepresentation, plain]), salt: generation.bytes, info: domain + item.bytes,
            count: count)
        return digest.withBytes { bytes in bytes.indices.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
    }
}
