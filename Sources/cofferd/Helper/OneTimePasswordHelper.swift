import Cryptography
import HelperProtocol
import JSON
import Platform
import ProgramOptions

/// Computes a one-time password for `coffer otp`. The seed comes through standard input.
enum OneTimePasswordHelper: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.oneTimePassword, abstract: "Compute a one-time password, for \"coffer otp\".")

    static func run(_ words: [String]) throws {
        var lines = StandardInputLines(limit: OneTimePasswordRequest.longest)
        while let line = try lines.next() {
            // `try?`: whatever is wrong with it, the answer is that there is no password. An error could repeat the seed.
            let request = try? JSONReader.read(OneTimePasswordRequest.self, from: line)
            try HelperAnswer.say(OneTimePasswordAnswer(code: request.flatMap(code)))
        }
    }

    /// RFC 4226, section 5.3.
    static func code(_ request: OneTimePasswordRequest) -> String? {
        // `try?`: without memory for the seed, or without the digest, there is no password.
        guard OneTimePasswordRequest.possibleDigits.contains(request.digits),
            let seed = try? SecretBytes(base64Encoded: request.seed), !seed.isEmpty,
            let digest = HMAC.Digest(rawValue: request.algorithm.rawValue),
            let code = try? HMAC.code(for: bytes(request.counter), key: seed, digest: digest)
        else { return nil }
        let offset = Int(code[code.count - 1] & 0xF)
        var number = UInt32(code[offset] & 0x7F)
        for byte in code[offset + 1...offset + 3] { number = number << 8 | UInt32(byte) }
        let modulus = (0..<request.digits).reduce(UInt32(1)) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: request.digits - text.count) + text
    }

    /// The counter, the highest byte first.
    private static func bytes(_ counter: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * (7 - $0))) }
    }
}
