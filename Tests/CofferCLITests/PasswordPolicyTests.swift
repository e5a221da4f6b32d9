import ArgumentParser
import BrokerProtocol
import Foundation
import Recovery
import TestSupport
import Testing

@testable import coffer_cli

/// Generated passwords: each as likely as any other, and none that is weak.
@Suite struct PasswordPolicyTests {
    /// Always the same numbers, so that a test of chance has one result.
    private static let numbers = SplitMix64(seed: 0x1234_5678_9ABC_DEF0)

    /// Pearson's test. With k kinds, the sum is about k for equal chances. A remainder of 256 would make it thousands.
    @Test(arguments: PasswordPolicy.allCases)
    func everyElementIsAsLikelyAsAnother(policy: PasswordPolicy) throws {
        var source = Self.numbers
        let recipe = try PasswordRecipe(policy, length: 64)
        var counts: [Substring: Int] = [:]
        var drawn = 0
        for _ in 0..<1500 {
            let text = String(decoding: recipe.password(using: &source), as: UTF8.self)
            let elements = policy == .words ? text.split(separator: "-") : text.indices.map { text[$0...$0] }
            #expect(elements.count == 64)
            for element in elements { counts[element, default: 0] += 1 }
            drawn += elements.count
        }
        let kinds = [.lettersDigits: 56, .symbols: 71, .words: 1296, .pin: 10][policy] ?? 0
        #expect(counts.count == kinds)
        let expected = Double(drawn) / Double(kinds)
        let sum = counts.values.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
        #expect(sum < Double(kinds) + 6 * sqrt(2 * Double(kinds)), "\(sum)")
    }

    @Test func aPasswordHasEachKindOfCharacter() throws {
        var source = Self.numbers
        for policy in [PasswordPolicy.lettersDigits, .symbols] {
            let recipe = try PasswordRecipe(policy, length: 8)
            for _ in 0..<500 {
                let text = String(decoding: recipe.password(using: &source), as: UTF8.self)
                #expect(text.contains(where: \.isLowercase) && text.contains(where: \.isUppercase))
                #expect(text.contains { $0.isNumber })
                #expect(policy == .lettersDigits || text.contains { !$0.isLetter && !$0.isNumber })
                #expect(!text.contains { "0Oo1lI".contains($0) })
            }
        }
    }

    @Test func excludedCharactersDoNotOccur() throws {
        var source = Self.numbers
        let symbols = try PasswordRecipe(.symbols, length: 200, excluding: "aZ!#23456789")
        let text = String(decoding: symbols.password(using: &source), as: UTF8.self)
        #expect(!text.contains { "aZ!#23456789".contains($0) })
        let words = try PasswordRecipe(.words, length: 40, excluding: "e-")
        let phrase = String(decoding: words.password(using: &source), as: UTF8.self)
        #expect(!phrase.contains("e") && phrase.split(separator: ".").count == 40)
    }

    private static let weak: [(PasswordPolicy, Int?, String)] = [
        (.lettersDigits, 7, ""), (.lettersDigits, 8, "abcdefghijkmnpqrstuvwxyz"), (.symbols, 3, ""), (.words, 3, ""),
        (.words, nil, "aeiou"), (.words, nil, "abcdefghijklmnopqrstuvwxyz"), (.words, nil, "-._ "), (.pin, 3, ""),
        (.pin, 4, "012345678"), (.pin, 8, "0123456789"), (.lettersDigits, 1025, ""), (.words, 65, ""),
        (.lettersDigits, 32, "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"),
        (.lettersDigits, 12, "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ2345678"),
    ]

    /// No option may lead to a password that can be guessed.
    @Test(arguments: weak)
    func whatWouldBeWeakIsRefused(policy: PasswordPolicy, length: Int?, excluded: String) throws {
        #expect(throws: ValidationError.self) { try PasswordRecipe(policy, length: length, excluding: excluded) }
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let generate = length.map { "--generate=\($0)" } ?? "--generate"
        let result = try fixture.program.run(
            "set", "github", "me", generate, "--policy", policy.rawValue, "--exclude=\(excluded)")
        #expect(result.status == 64 && fixture.broker.calls("Set").isEmpty, "\(result)")
    }

    @Test func theStrengthIsTheLogarithmOfHowManyThereAre() throws {
        #expect(abs(try PasswordRecipe(.pin, length: 6).bits - 6 * log2(10)) < 0.001)
        #expect(abs(try PasswordRecipe(.words, length: 8).bits - 8 * log2(1296)) < 0.001)
        // 56^8 less those without small letters, capitals or digits: counted one by one by inclusion and exclusion.
        func eight(_ kinds: Double) -> Double { (0..<8).reduce(1) { power, _ in power * kinds } }
        let without = eight(32) + eight(32) + eight(48) - eight(8) - eight(24) - eight(24)
        let recipe = try PasswordRecipe(.lettersDigits, length: 8)
        #expect(abs(recipe.bits - log2(eight(56) - without)) < 0.001)
    }

    /// Two words that run together must not be a third one, and all have to be easy to type.
    @Test func theListHasDistinctPlainWords() {
        let words = WordList.all
        #expect(words.count == 1296 && Set(words).count == 1296)
        #expect(words.allSatisfy { (3...6).contains($0.count) && $0.allSatisfy { ("a"..."z").contains($0) } })
        let sorted = words.sorted()
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { !$1.hasPrefix($0) })
    }

    @Test(arguments: [
        (["--generate", "--policy", "words"], "8 words (about 82 bits)"),
        (["--generate=5", "--policy", "words"], "5 words (about 51 bits)"),
        (["--generate", "--policy", "pin"], "6 characters (about 19 bits)"),
        (["--generate", "--policy", "symbols"], "32 characters (about 196 bits)"),
        (["--generate"], "32 characters (about 185 bits)"),
    ])
    func theCommandSaysHowStrongItIs(options: [String], words: String) throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(["set", "github", "me"] + options)
        #expect(result.status == 0 && result.output.isEmpty)
        #expect(
            result.errors == "Stored github/me: a new password of \(words); see it with: coffer get github me\n")
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        let value = String(decoding: try #require(Data(base64Encoded: call.value)), as: UTF8.self)
        #expect(!result.errors.contains(value))
    }
}
