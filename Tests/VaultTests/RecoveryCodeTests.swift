import Cryptography
import Foundation
import Testing

@testable import Recovery

@Suite struct RecoveryCodeTests {
    private func text(_ code: RecoveryCode) throws -> String {
        String(decoding: revealed(try code.text), as: UTF8.self)
    }

    private func read(_ text: String) throws -> RecoveryCode { try RecoveryCode(reading: try secret(text)) }

    private func refusal(_ text: String) throws -> RecoveryCodeError.Code? {
        do {
            _ = try read(text)
            return nil
        } catch let error as RecoveryCodeError { return error.code }
    }

    @Test func sixGroupsOfFiveOfCrockfordsAlphabet() throws {
        let shape = /([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]{5}/
        var seen: Set<String> = []
        for _ in 0..<200 {
            let text = try text(RecoveryCode.random())
            #expect(try shape.wholeMatch(in: text) != nil, "\(text)")
            seen.insert(text)
        }
        #expect(seen.count == 200)
    }

    /// 25 characters of 5 bits each. A draw that leaves out one of 32 characters at one place has a chance of one in a hundred thousand million.
    @Test func eachOfTheTwentyFiveCharactersIsRandomByItself() throws {
        let codes = try (0..<1000).map { _ in Array(try text(RecoveryCode.random()).replacing("-", with: "").prefix(25))
        }
        for place in 0..<25 {
            #expect(Set(codes.map { $0[place] }).count == 32, "place \(place)")
            for other in 0..<place {
                #expect(codes.contains { $0[place] != $0[other] }, "places \(other) and \(place)")
            }
        }
    }

    /// The checksum of the specification, computed separately.
    @Test func theLastGroupIsTheChecksumOfTheSpecification() throws {
        let text = try text(RecoveryCode.random()).replacing("-", with: "")
        let domain = Array("org.coffer.recovery.checksum".utf8)
        let characters = Array(text.utf8.prefix(25))
        let digest = try SHA256.digest([0, 0, 0, UInt8(domain.count)] + domain + [0, 0, 0, 25] + characters)
        let bits = digest.prefix(4).map { String(String(256 + Int($0), radix: 2).dropFirst()) }.joined()
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let expected = (0..<5).map { index -> Character in
            let start = bits.index(bits.startIndex, offsetBy: 5 * index)
            return alphabet[Int(bits[start..<bits.index(start, offsetBy: 5)], radix: 2) ?? 0]
        }
        #expect(String(text.suffix(5)) == String(expected))
    }

    @Test func itIsReadHoweverPeopleWriteIt() throws {
        var code = try RecoveryCode.random()
        var written = try text(code)
        // A code with characters that can be mistaken.
        while !written.contains("0") || !written.contains("1") {
            code = try RecoveryCode.random()
            written = try text(code)
        }
        for spelling in [
            written.lowercased(), written.replacing("-", with: ""), written.replacing("-", with: " "),
            "  \(written)\n", written.replacing("0", with: "O").replacing("1", with: "I"),
            written.replacing("0", with: "o").replacing("1", with: "l"),
        ] {
            #expect(try read(spelling).secret == code.secret, "\(spelling)")
        }
    }

    @Test func everySingleMistypedCharacterAndEverySwapIsFound() throws {
        let written = Array(try text(RecoveryCode.random()).replacing("-", with: ""))
        for index in written.indices {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != written[index] {
                var wrong = written
                wrong[index] = other
                #expect(try refusal(String(wrong)) == .mistyped)
            }
            guard index > 0, written[index] != written[index - 1] else { continue }
            var swapped = written
            swapped.swapAt(index, index - 1)
            #expect(try refusal(String(swapped)) == .mistyped)
        }
    }

    @Test func whatIsTooShortTooLongOrHasAStrangeCharacterIsSaid() throws {
        let written = try text(RecoveryCode.random())
        #expect(try refusal("") == .wrongLength(0, expected: 30))
        #expect(try refusal(String(written.dropLast())) == .wrongLength(29, expected: 30))
        #expect(try refusal(String(written.dropLast(6))) == .wrongLength(25, expected: 30))
        #expect(try refusal(written + "A") == .wrongLength(31, expected: 30))
        #expect(try refusal("U" + written.dropFirst()) == .strangeCharacter(UInt8(ascii: "U")))
        #expect(try refusal("é" + written.dropFirst()) == .strangeCharacter(0xC3))
    }

    @Test func onlyTheGroupThatWasAskedForIsTaken() throws {
        let code = try RecoveryCode.random()
        let groups = try text(code).split(separator: "-").map(String.init)
        for index in groups.indices {
            #expect(code.has(try secret(groups[index].lowercased() + " "), asGroup: index))
            let others = groups.indices.filter { groups[$0] != groups[index] }
            for other in others { #expect(!code.has(try secret(groups[other]), asGroup: index)) }
            #expect(!code.has(try secret(String(groups[index].dropLast())), asGroup: index))
            #expect(!code.has(try secret(""), asGroup: index))
        }
        #expect(!code.has(try secret(groups[0]), asGroup: 6))
        #expect(!code.has(try secret(""), asGroup: -1))
    }

    @Test func noFormOfItShowsIt() throws {
        let code = try RecoveryCode.random()
        let group = String(try text(code).prefix(5))
        for shown in ["\(code)", String(describing: code), String(reflecting: code)] {
            #expect(!shown.contains(group))
        }
    }
}
