import Authorization
import Circle
import Cryptography
import Testing

@testable import Vault

/// The private halves of a generation, as an answer to a request brings them.
struct GenerationHalvesTests {
    /// Three keys, one after the other.
    @Test func theWholeIsReadAsItIsWritten() throws {
        let halves = try GenerationHalves.generate()
        let read = try GenerationHalves(whole: halves.whole())
        #expect(read?.publicHalves == halves.publicHalves)
    }

    /// One byte too few, and one too many.
    @Test(arguments: [KeyGeneration.publicCount - 1, KeyGeneration.publicCount + 1])
    func theWholeHasOneLength(count: Int) throws {
        #expect(try GenerationHalves(whole: .random(count: count)) == nil)
    }

    /// A half as its maker seals it to a receiver, under the name of a public half that need not be its own.
    private func sealed(
        _ half: X25519.PrivateKey, as publicHalf: [UInt8], to receiver: MemberKeys, _ place: Int,
        in circle: StatementName
    ) throws -> [UInt8] {
        let ephemeral = try X25519.PrivateKey.generate()
        let info = LengthPrefixed.encode(
            Array("org.coffer.circle.half".utf8), circle.bytes, receiver.device.bytes, publicHalf,
            receiver.receiving[place], ephemeral.publicKey)
        let key = try Agreement.key(ephemeral, receiver.receiving[place], info)
        return try ephemeral.publicKey + AESGCM.seal(half.rawRepresentation, key: key, associatedData: info)
    }

    /// Attacker 13: who makes a generation can seal another key than the half that everybody else has.
    @Test(arguments: 0..<4)
    func aHalfThatIsNotTheGenerationsOpensNothing(wrong: Int) throws {
        let circle = try #require(StatementName(bytes: [UInt8](repeating: 7, count: StatementName.count)))
        let paper = try PaperKeys(.random(), in: circle)
        let halves = try (0..<3).map { _ in try X25519.PrivateKey.generate() }
        var parts: [UInt8] = []
        for (place, half) in halves.enumerated() {
            let given = place == wrong ? try X25519.PrivateKey.generate() : half
            parts += try sealed(given, as: half.publicKey, to: paper.member, place, in: circle)
        }
        let receiver = try KeyGeneration.Receiver(paper.member.device, sealed: parts)
        let generation = try KeyGeneration(
            circle: circle, maker: paper.member.device, removals: circle.bytes,
            publicHalves: halves.flatMap(\.publicKey),
            receivers: [receiver])
        let opened = try GenerationHalves(receiver, of: generation, by: ReceivingKeys(paper))
        // The last one has nothing wrong.
        #expect((opened != nil) == (wrong == 3))
    }
}
