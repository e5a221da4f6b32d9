import Cryptography
import TestSupport
import Testing

@testable import TPM

@Suite struct SealingExitTests {
    /// Attacker 6 changes the size of the parameters in an answer. The wipe after it must not go beyond the answer.
    @Test func theSizeThatAnAnswerNamesOverwritesNothing() async throws {
        await #expect(processExitsWith: .success) {
            let rig = try Rig()
            let (object, expected) = try rig.seal(try .random(count: 32), .openData)
            let tap = try WireTap(
                rig.tpm,
                answer: { command, bytes in
                    guard isCommand(.unseal, command), bytes.count > 14 else { return }
                    bytes.replaceSubrange(10..<14, with: [0x7F, 0xFF, 0xFF, 0xF0])
                })
            let outcome = code { _ = try rig.unsealOpen(object, expected, TPMAccess(tap.configuration)) }
            #expect(outcome != nil)
        }
    }
}
