import BrokerProtocol
import Foundation
import HelperProtocol
import TestSupport
import Testing

@testable import coffer_cli

/// One-time passwords: those of the RFCs, and seeds that nobody sees.
@Suite struct OneTimePasswordTests {
    private static let seeds = [
        "SHA1": "12345678901234567890", "SHA256": "12345678901234567890123456789012",
        "SHA512": "1234567890123456789012345678901234567890123456789012345678901234",
    ]

    private static let stored = Array("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP".utf8)

    /// RFC 4648 for these tests alone.
    private static func base32(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return String(
            stride(from: 0, to: bits.count, by: 5).map { start in
                alphabet[(0..<5).reduce(0) { $0 << 1 | Int(start + $1 < bits.count ? bits[start + $1] : 0) }]
            })
    }

    /// Neither the item nor one beside it says that it has a seed.
    private static let nothingBeside = FakeCoffer.absent

    private func code(_ value: String, at time: String) throws -> String {
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.nothingBeside], "Get": [FakeCoffer.value(Array(value.utf8))],
        ])
        let result = try fixture.program.run("otp", "github", "me", "--at", time)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        return result.text
    }

    /// RFC 6238, appendix B.
    private static let timed: [(String, String, String)] = [
        ("1970-01-01T00:00:59Z", "SHA1", "94287082"), ("1970-01-01T00:00:59Z", "SHA256", "46119246"),
        ("1970-01-01T00:00:59Z", "SHA512", "90693936"), ("2005-03-18T01:58:29Z", "SHA1", "07081804"),
        ("2005-03-18T01:58:29Z", "SHA256", "68084774"), ("2005-03-18T01:58:29Z", "SHA512", "25091201"),
        ("2005-03-18T01:58:31Z", "SHA1", "14050471"), ("2005-03-18T01:58:31Z", "SHA256", "67062674"),
        ("2005-03-18T01:58:31Z", "SHA512", "99943326"), ("2009-02-13T23:31:30Z", "SHA1", "89005924"),
        ("2009-02-13T23:31:30Z", "SHA256", "91819424"), ("2009-02-13T23:31:30Z", "SHA512", "93441116"),
        ("2033-05-18T03:33:20Z", "SHA1", "69279037"), ("2033-05-18T03:33:20Z", "SHA256", "90698825"),
        ("2033-05-18T03:33:20Z", "SHA512", "38618901"), ("2603-10-11T11:33:20Z", "SHA1", "65353130"),
        ("2603-10-11T11:33:20Z", "SHA256", "77737706"), ("2603-10-11T11:33:20Z", "SHA512", "47863826"),
    ]

    @Test(arguments: timed)
    func theTimesOfRFC6238(time: String, algorithm: String, code: String) throws {
        let seed = Self.base32(try #require(Self.seeds[algorithm]))
        let address = "otpauth://totp/x:y?secret=\(seed)&algorithm=\(algorithm)&digits=8&issuer=x"
        #expect(try self.code(address, at: time) == code + "\n")
    }

    /// RFC 4226, appendix D. With a period of a second, the seconds since 1970 are the counter.
    @Test(arguments: [
        (0, "755224"), (1, "287082"), (2, "359152"), (3, "969429"), (7, "162583"), (8, "399871"), (9, "520489"),
    ])
    func theCountersOfRFC4226(counter: Int, code: String) throws {
        let address = "otpauth://totp/x?period=1&secret=\(Self.base32("12345678901234567890"))"
        #expect(try self.code(address, at: "1970-01-01T00:00:0\(counter)Z") == code + "\n")
    }

    @Test func aSeedIsReadAsSitesShowIt() throws {
        let plain = try OneTimeSeed(reading: Array("JBSWY3DPEHPK3PXP".utf8))
        #expect(plain.bytes.count == 10 && plain.digits == 6 && plain.period == 30 && plain.algorithm == .sha1)
        for text in [
            "jbsw y3dp ehpk 3pxp", " JBSWY3DPEHPK3PXP\n", "JBSWY3DP-EHPK3PXP======",
            "otpauth://totp/A%20B:c@d?secret=JBSWY3DPEHPK3PXP&issuer=A%20B&image=https%3A%2F%2Fx",
            "OTPAUTH://TOTP/x?SECRET=jbswy3dpehpk3pxp&digits=6&period=30&algorithm=sha1#f",
        ] {
            #expect(try OneTimeSeed(reading: Array(text.utf8)) == plain, "\(text)")
        }
        let other = try OneTimeSeed(
            reading: Array("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=7&period=60&algorithm=SHA512".utf8))
        #expect(other.digits == 7 && other.period == 60 && other.algorithm == .sha512)
    }

    /// Each holds the word CANARY or its like, which no error may repeat.
    private static let wrong = [
        "CANARY1", "CANARY!", "C", "CAN", "", "CANA=RYAA", "https://canary.example/?secret=CANARYAA",
        "otpauth://hotp/CANARY?secret=CANARYAA&counter=1", "otpauth://CANARY/x?secret=CANARYAA",
        "otpauth://totp/CANARY",
        "otpauth://totp/x?secret=", "otpauth://totp/x?secret=CANARYAA&secret=CANARYAB",
        "otpauth://totp/x?secret=CANARYAA&digits=5", "otpauth://totp/x?secret=CANARYAA&digits=9",
        "otpauth://totp/x?secret=CANARYAA&digits=CANARY", "otpauth://totp/x?secret=CANARYAA&period=0",
        "otpauth://totp/x?secret=CANARYAA&period=99999999999999999999", "otpauth://totp/x?secret=CANARYAA&period=-30",
        "otpauth://totp/x?secret=CANARYAA&algorithm=CANARY", "otpauth://totp/x?secret=CANARY%4",
        "otpauth://totp/x?secret=%FF", "otpauth://totp/x?secret=CANARYAA&encoder=steam",
        String(repeating: "CANARYAA", count: 26), String(repeating: "CANARYAA", count: 600),
    ]

    @Test(arguments: wrong)
    func noErrorRepeatsASeed(text: String) throws {
        #expect(throws: OneTimeSeed.Mistake.self) { try OneTimeSeed(reading: Array(text.utf8)) }
        let fixture = try FakeCoffer(broker: [
            "Get": [FakeCoffer.value(Array(text.utf8))], "Show": [FakeCoffer.absent],
            "Set": [FakeCoffer.stored()],
        ])
        for arguments in [["otp", "github", "me"], ["otp", "github", "me", "--json"]] {
            let result = try fixture.program.run(arguments)
            #expect(result.status == 1 && result.output.isEmpty, "\(result)")
            #expect(!result.errors.contains("CANARY"), "\(result.errors)")
        }
        let stored = try fixture.program.run("set", "github", "me", "--otp", input: .bytes(Array(text.utf8)))
        #expect(stored.status == 1 && !stored.errors.contains("CANARY"), "\(stored)")
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    /// Letters and digits may as well be a password, and its code would be nonsense.
    @Test(arguments: ["my token", "JBSWY3DPEHPK3PXP"]) func aPasswordIsNoSeed(text: String) throws {
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.nothingBeside], "Get": [FakeCoffer.value(Array(text.utf8))],
        ])
        let result = try fixture.program.run("otp", "github", "me")
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        // The advice must not replace the password.
        #expect(result.errors.hasSuffix("coffer set github me --otp --new\n"), "\(result)")
    }

    @Test func theSeedBesideAPasswordIsFound() throws {
        let seed = "otpauth://totp/x:y?secret=\(Self.base32("12345678901234567890"))"
        let found = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item("github", "me:otp")))
        let fixture = try FakeCoffer(broker: [
            "Show": [FakeCoffer.absent, found], "Get": [FakeCoffer.value(Array(seed.utf8))],
        ])
        let result = try fixture.program.run("otp", "github", "me", "--at", "1970-01-01T00:00:59Z")
        #expect(result.status == 0 && result.text == "287082\n", "\(result)")
        let call = try #require(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self))
        #expect(call.account == "me:otp")
    }

    @Test func aSeedIsCheckedAndKeptAsAnAddress() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "--otp", "github", "me", input: .bytes(Array("JBSW Y3DP EHPK 3PXP\n".utf8)))
        #expect(result.status == 0 && result.errors == "Stored github/me, field otp\n", "\(result)")
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        let address = "otpauth://totp/github:me?secret=JBSWY3DPEHPK3PXP&issuer=github"
        #expect(call.value == Data(address.utf8).base64EncodedString())
    }

    @Test func aTerminalSaysHowLongItIsGood() throws {
        let fixture = try FakeCoffer(broker: ["Show": [Self.nothingBeside], "Get": [FakeCoffer.value(Self.stored)]])
        let shown = try fixture.program.run("otp", "github", "me", output: .terminal, turns: [])
        #expect(shown.screen.wholeMatch(of: /[0-9]{6}\r\n/) != nil, "\(shown)")
        #expect(shown.errors.wholeMatch(of: /Good for [0-9]+ seconds?\n/) != nil, "\(shown)")
        struct Record: Decodable {
            var code: String
            var secondsLeft: Int
            var period: Int
        }
        let json = try fixture.program.run("otp", "github", "me", "--json", "--at", "1970-01-01T00:00:59Z")
        let record = try JSONDecoder().decode(Record.self, from: Data(json.output))
        #expect(record.secondsLeft == 1 && record.period == 30 && record.code.count == 6)
    }

    /// The seed is not among what other programs can read of the helper.
    @Test func theSeedIsNoArgument() throws {
        let fixture = try FakeCoffer(broker: ["Show": [Self.nothingBeside], "Get": [FakeCoffer.value(Self.stored)]])
        let trace = fixture.scratch.file("trace")
        var traced = fixture.program
        traced.executable = "/usr/bin/strace"
        let result = try traced.run(
            "-f", "-qq", "-v", "-s", "4096", "-e", "trace=execve", "-o", trace, Program.path, "otp", "github", "me")
        #expect(result.status == 0, "\(result)")
        let calls = String(decoding: try fixture.scratch.contents("trace"), as: UTF8.self)
        #expect(calls.contains("one-time-password"))
        for form in [
            "JBSWY3DPEHPK3PXP",
            Data([0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x21, 0xDE, 0xAD, 0xBE, 0xEF]).base64EncodedString(),
        ] {
            #expect(!calls.contains(form))
        }
    }
}
