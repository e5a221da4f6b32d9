import Authorization
import Circle
import Cryptography
import Testing

@testable import Vault

/// What is kept of a value that is no longer given out (docs/sync-format.md, “Compaction”).
struct PastValueDigestTests {
    /// Machines of all versions must make the same number, so it is that of the page.
    @Test func itIsMadeAsThePageSays() throws {
        let halves = try GenerationHalves.generate()
        let half = try #require(halves.classes[.whenUnlocked])
        let generation = try #require(StatementName(bytes: [UInt8](repeating: 1, count: StatementName.count)))
        let item = try #require(SharedItemID(bytes: [UInt8](repeating: 2, count: SharedItemID.count)))
        let plain = try secret("value")
        let digest = try HKDF.derive(
            .concatenating([half.rawRepresentation, plain]), salt: generation.bytes,
            info: LengthPrefixed.encode(Array("org.coffer.circle.past".utf8)) + item.bytes, count: 8)
        let number = try #require(try PastValueDigest.of(plain, in: item, generation, halves))
        #expect(BigEndian.bytes(number) == revealed(digest))
    }
}
