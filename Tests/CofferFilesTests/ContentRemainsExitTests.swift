import Coffer
import Cryptography
import Foundation
import Platform
import Testing

@testable import CofferFiles

/// Content that was written or read is overwritten with what held it (attacker 8).
@Suite(.serialized) struct ContentRemainsExitTests {
    /// Gives a sealer content, and lets it go.
    private static func seal(_ content: MaskedContent, count: Int, finishing: Bool) throws {
        var clear = content.bytes(count)
        var sealer = ContentSealer(key: try SecretBytes(copying: SealedBytes.key))
        try sealer.seal(clear) { (_) throws(KeychainError) in }
        Wipe.bytes(&clear)
        // The search finds what the sealer holds.
        guard content.copies() > 0 else { exit(1) }
        if finishing { _ = try sealer.finish() }
    }

    @Test(arguments: [false, true]) func whatASealerHeldIsNowhereWhenItIsGone(isFinished: Bool) async {
        await #expect(processExitsWith: .success) { [isFinished = isFinished as Bool] in
            let content = MaskedContent()
            try Self.seal(content, count: 40_000, finishing: isFinished)
            guard content.copies() == 0 else { exit(2) }
        }
    }

    /// The first part was read, and the second one is missing.
    @Test func whatWasReadOfADamagedFileIsNowhere() async throws {
        let scratch = try Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let content = MaskedContent()
            let files = try Scratch.files(path)
            var clear = content.bytes(150_000)
            try await files.write(clear, to: "f")
            Wipe.bytes(&clear)
            guard content.copies() == 0 else { exit(1) }
            let place = URL(fileURLWithPath: path + "/files/f")
            try Data(contentsOf: place).prefix(32 + 2 * 65_552).write(to: place)
            do throws(KeychainError) {
                _ = try await files.read("f")
                exit(2)
            } catch { guard error.code == .damaged else { exit(3) } }
            guard content.copies() == 0 else { exit(4) }
        }
    }
}
