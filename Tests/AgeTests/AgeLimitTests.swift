import Cryptography
import Testing

@testable import Age

/// What a file in the age format may take of who reads it, and what it costs who guesses at its passphrase.
@Suite struct AgeLimitTests {
    /// The example of the specification.
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

    private func code(_ body: () throws(AgeError) -> Void) -> AgeError.Code? {
        do throws(AgeError) {
            try body()
            return nil
        } catch { return error.code }
    }

    /// Who has an export can try passphrases without end. Half of the number would make each guess 512 times as cheap.
    @Test func aGuessCostsWhatTheAgeProgramTakes() throws {
        let file = try AgeFile.seal([1], for: .passphrase(AgePassphrase("correct horse")), armored: false)
        let stanza = try #require(try AgeHeader(reading: file).stanzas.first)
        #expect(stanza.arguments.count == 3 && stanza.arguments[0] == "scrypt" && stanza.arguments[2] == "18")
        // No two files have the same salt, so nobody guesses at two of them at once.
        let key = try SecretBytes.random(count: 16)
        let passphrase = try AgePassphrase("correct horse")
        let salts = try (0..<8).map { _ in try passphrase.wrap(key, workFactor: 1).arguments[1] }
        #expect(Set(salts).count == 8)
    }

    @Test func aPassphraseIsNotEmpty() {
        let found = code { () throws(AgeError) in _ = try AgePassphrase("") }
        #expect(found == .malformedKey)
    }

    /// What is encrypted for nobody opens for nobody.
    @Test func aFileHasSomebodyWhoOpensIt() throws {
        let identity = try AgeIdentity(Self.identity)
        for count in [0, 65] {
            let recipients = Array(repeating: identity.recipient, count: count)
            let found = code { () throws(AgeError) in
                _ = try AgeFile.seal([1], for: .recipients(recipients), armored: false)
            }
            #expect(found == .malformedKey, "\(count)")
        }
        for count in [1, 64] {
            let recipients = Array(repeating: identity.recipient, count: count)
            let file = try AgeFile.seal([1], for: .recipients(recipients), armored: false)
            #expect(try AgeHeader(reading: file).stanzas.count == count)
            #expect(try AgeFile(file).open(.identities([identity])) == [1])
        }
    }

    /// - Parameter argument: the length of each stanza's only word.
    private static func header(stanzas: Int, argument: Int = 1) -> [UInt8] {
        let stanza = "-> \(String(repeating: "a", count: argument))\n\n"
        let mac = String(repeating: "A", count: 43)
        return Array(("age-encryption.org/v1\n" + String(repeating: stanza, count: stanzas) + "--- \(mac)\n").utf8)
    }

    /// Attacker 5: a header is read before anything vouches for it.
    @Test func aHeaderHasItsLimits() throws {
        #expect(try AgeHeader(reading: Self.header(stanzas: 256)).stanzas.count == 256)
        let many = code { () throws(AgeError) in _ = try AgeHeader(reading: Self.header(stanzas: 257)) }
        #expect(many == .malformedHeader)
        let room = (64 << 10) - Self.header(stanzas: 1, argument: 0).count
        #expect(try AgeHeader(reading: Self.header(stanzas: 1, argument: room)).count == 64 << 10)
        let long = code { () throws(AgeError) in
            _ = try AgeHeader(reading: Self.header(stanzas: 1, argument: room + 1))
        }
        #expect(long == .malformedHeader)
    }
}
