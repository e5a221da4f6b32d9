import Testing

@testable import Courier

/// What a program prints goes into the headers of requests (attacker 10). Each limit is reached, and passed by one.
@Suite struct GivenKeysTests {
    private static func isTaken(_ output: [UInt8]) -> Bool {
        do throws(CredentialsFailure) {
            _ = try GivenKeys(output)
            return true
        } catch {
            #expect(error == .notUnderstood)
            return false
        }
    }

    private static func isTaken(_ output: String) -> Bool { isTaken(Array(output.utf8)) }

    private static func text(_ count: Int) -> String { String(repeating: "t", count: count) }

    @Test func aSecretHasNoControlCharacters() {
        for byte in UInt8.min...UInt8.max {
            let output = Array("ID\nse".utf8) + [byte] + Array("cret\n".utf8)
            #expect(Self.isTaken(output) == (byte >= 0x20 && byte != 0x7F), "\(byte)")
        }
    }

    /// What is no UTF-8 is no name.
    @Test func aNameHasNoControlCharacters() {
        for byte in UInt8.min...UInt8.max {
            let output = Array("I".utf8) + [byte] + Array("D\nsecret\n".utf8)
            #expect(Self.isTaken(output) == (0x20...0x7E).contains(byte), "\(byte)")
        }
        #expect(Self.isTaken("I\u{E9}D\nsecret\n"))
    }

    @Test func aTokenHasNoControlCharacters() {
        for (character, isGood) in [
            ("\\u0020", true), ("~", true), ("\\u0080", true), ("\\u001f", false), ("\\u007f", false),
            ("\\u000a", false), ("\\u0000", false),
        ] {
            let output = #"{"AccessKeyId":"ID","SecretAccessKey":"s","Token":"a\#(character)b"}"#
            #expect(Self.isTaken(output) == isGood, "\(character)")
        }
    }

    @Test func eachHasItsWholeLength() {
        for (count, isGood) in [(0, false), (1, true), (1024, true), (1025, false)] {
            let text = Self.text(count)
            let name = Self.isTaken(#"{"AccessKeyId":"\#(text)","SecretAccessKey":"s"}"#)
            let secret = Self.isTaken(#"{"AccessKeyId":"ID","SecretAccessKey":"\#(text)"}"#)
            #expect(name == isGood && secret == isGood, "\(count)")
        }
        for (count, isGood) in [(0, false), (1, true), (16_384, true), (16_385, false)] {
            let token = Self.text(count)
            let isTaken = Self.isTaken(#"{"AccessKeyId":"ID","SecretAccessKey":"s","SessionToken":"\#(token)"}"#)
            #expect(isTaken == isGood, "\(count)")
        }
    }

    /// docs/threat-model.md, attacker 7.
    @Test func theLimitsAreThoseOfThePages() {
        #expect(CredentialsLimits.output == 65_536 && CredentialsLimits.early == 60)
        #expect(CredentialsLimits().time == .seconds(60))
    }
}
