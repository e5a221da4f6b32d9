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
}
