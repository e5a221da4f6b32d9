import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

@testable import coffer_cli

/// A value reaches the broker, and comes back, byte for byte.
@Suite struct ValueTests {
    static let values: [Sample<[UInt8]>] = [
        [], [0], Array(0...255), Array("line\n".utf8), Array("two\n\n".utf8), [0xFF, 0xFE, 0x00, 0x0A],
        [UInt8](repeating: 0xA5, count: 1 << 20),
    ].map { Sample($0) }

    @Test(arguments: values.filter { !$0.value.isEmpty })
    func standardInputIsKept(sample: Sample<[UInt8]>) throws {
        let value = sample.value
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run("set", "github", "me", input: .bytes(value))
        #expect(result.status == 0)
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(Data(base64Encoded: call.value).map { Array($0) == value } == true)
        let isOneLine = value.firstIndex(of: 10) == value.count - 1
        #expect(result.errors.contains("warning: the value ends with a newline") == isOneLine)
        #expect(result.errors.contains("Stored github/me\n"))
        #expect(result.output.isEmpty)
    }

    /// OpenSSH reads no private key without its last line break.
    @Test(arguments: ["-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n", "one\r\ntwo\r\n", "\n\n"])
    func nobodyIsToldToTrimATextOfSeveralLines(text: String) throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run("set", "ssh", "key", input: .bytes(Array(text.utf8)))
        #expect(result.status == 0 && !result.errors.contains("--trim"), "\(result)")
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(Data(base64Encoded: call.value) == Data(text.utf8))
    }

    @Test(arguments: values)
    func whatIsPipedOutIsExact(sample: Sample<[UInt8]>) throws {
        let value = sample.value
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(value)]])
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 0)
        #expect(result.output == value)
        #expect(result.errors.isEmpty)
    }

    private static let active: [[UInt8]] = [
        Array("\u{1B}]0;title\u{7}".utf8), Array("a\u{7}".utf8), Array("a\rb".utf8), Array("a\r\n".utf8), [0x41, 0x7F],
        Array("\u{9B}2J".utf8), Array("a\u{202E}b".utf8), Array("a\u{2066}b".utf8), Array("a\u{2028}b".utf8), [0xFF],
        [0],
        [0xC3],
    ]

    /// Somebody who may write a value must not be able to control the terminal of the person who reads it.
    @Test(arguments: active.map { Sample($0) })
    func whatATerminalWouldObeyIsNotShownOnOne(sample: Sample<[UInt8]>) throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(sample.value)]])
        let result = try fixture.program.run("get", "github", "me", output: .terminal, turns: [])
        #expect(result.status == 1)
        #expect(result.screen.isEmpty)
        #expect(result.errors.contains("--raw"))
        #expect(try fixture.program.run("get", "github", "me", "--raw", output: .terminal, turns: []).status == 0)
        #expect(try fixture.program.run("get", "github", "me").output == sample.value)
        let json = try fixture.program.run("get", "github", "me", "--json", output: .terminal, turns: [])
        #expect(json.status == 0)
        #expect(!json.screen.unicodeScalars.contains { $0 != "\r" && $0 != "\n" && VisibleCharacters.steers($0) })
    }

    @Test(arguments: ["-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n", "a\tb", "päss 字 👩‍💻", ""])
    func textIsShown(value: String) throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array(value.utf8))]])
        let result = try fixture.program.run("get", "github", "me", output: .terminal, turns: [])
        #expect(result.status == 0)
        #expect(result.screen.replacing("\r\n", with: "\n") == value + "\n")
    }

    @Test func aGeneratedPasswordSaysThatWhatWasPipedInIsLost() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let piped = try fixture.program.run("set", "github", "me", "--generate", input: .bytes(Array("mine".utf8)))
        #expect(piped.status == 0 && piped.errors.contains("the piped input is not stored"))
        #expect(!(try fixture.program.run("set", "github", "me", "--generate").errors.contains("warning")))
    }

    @Test func aTerminalGetsOneNewline() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        let result = try fixture.program.run("get", "github", "me", output: .terminal, turns: [])
        #expect(result.screen == "s3cret\r\n")
    }

    @Test(arguments: [("a\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("\n\n", "\n")])
    func trimDropsOneNewline(given: String, kept: String) throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run("set", "github", "me", "--trim", input: .bytes(Array(given.utf8)))
        #expect(result.status == 0)
        #expect(!result.errors.contains("warning"))
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(call.value == Data(kept.utf8).base64EncodedString())
    }

    @Test func moreThanOneMebibyteIsRefusedInWords() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", input: .bytes([UInt8](repeating: 1, count: (1 << 20) + 1)))
        #expect(result.status == 1)
        #expect(result.errors.contains("larger than 1 MiB"))
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    @Test func aTypedValueIsHiddenAndAskedTwice() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", input: .terminal,
            turns: [
                .init(wait: "Secret for github/me: ", type: "CANARY\r"), .init(wait: "Once more: ", type: "CANARY\r"),
            ])
        #expect(result.status == 0)
        #expect(!result.screen.contains("CANARY"))
        #expect(result.echoes)
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(call.value == Data("CANARY".utf8).base64EncodedString())
    }

    @Test func ctrlZIsNoPartOfATypedValue() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", input: .terminal,
            turns: [
                .init(wait: "Secret for github/me: ", type: "\u{1A} ab\r"),
                .init(wait: "Secret for github/me: ", type: "ab\r"),
                .init(wait: "Once more: ", type: "a\u{1A}b\r"), .init(wait: "Once more: ", type: "ab\r"),
            ])
        #expect(result.status == 0)
        #expect(result.screen.contains("Ctrl-Z does not suspend"))
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(call.value == Data("ab".utf8).base64EncodedString())
    }

    @Test func twoDifferentTypedValuesStoreNothing() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", input: .terminal,
            turns: [.init(wait: "Secret for", type: "one\r"), .init(wait: "Once more: ", type: "two\r")])
        #expect(result.status == 1)
        #expect(result.errors.contains("differ"))
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    @Test func aGeneratedPasswordIsStoredAndNotShown() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        var seen: Set<String> = []
        for _ in 0..<3 { #expect(try fixture.program.run("set", "github", "me", "--generate").status == 0) }
        for call in fixture.broker.calls("Set") {
            let value = try #require(try call.parameters(Keychain.Set.self)?.value)
            let password = String(decoding: try #require(Data(base64Encoded: value)), as: UTF8.self)
            #expect(password.count == 32)
            #expect(!password.contains { "0Oo1lI".contains($0) })
            seen.insert(password)
        }
        #expect(seen.count == 3)
        let result = try fixture.program.run("set", "github", "me", "--generate=12")
        #expect(
            result.errors.contains("a new password of 12 characters (about 69 bits); see it with: coffer get github me")
        )
        #expect(result.output.isEmpty)
    }

    @Test func newAndExistingAreCheckedBeforeAnybodyTypes() throws {
        let there = try FakeCoffer(broker: ["Show": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))]])
        #expect(try there.program.run("set", "github", "me", "--new", input: .terminal, turns: []).status == 10)
        let absent = try FakeCoffer(broker: ["Show": [FakeCoffer.absent]])
        #expect(try absent.program.run("set", "github", "me", "--existing", input: .terminal, turns: []).status == 3)
    }

    @Test func withoutAReaderBiometryIsRefusedBeforeAnybodyTypes() throws {
        let reply = Authentication.Biometry.Reply(usable: false, type: "fingerprint", reason: "there is no reader")
        let fixture = try FakeCoffer(
            broker: ["Show": [FakeCoffer.absent]], authenticator: ["Biometry": [.answer(reply)]])
        let result = try fixture.program.run(
            "set", "github", "me", "--require", "biometry", input: .terminal, turns: [])
        #expect(result.status == 64)
        #expect(
            result.errors == "coffer: an item that requires biometry could never be read here: there is no reader\n")
        #expect(result.screen.isEmpty)
    }

    @Test func allOptionsReachTheBroker() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", "--access", "after-first-unlock", "--this-device-only", "--require", "presence",
            "--require",
            "passcode", "--any", "--label", "L", "--comment", "C", "--attribute", "k=v=w", "--expires", "2031-02-03",
            "--new",
            input: .bytes([1]))
        #expect(result.status == 0)
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(
            call.access
                == .init(
                    accessibility: .afterFirstUnlock, thisDeviceOnly: true, require: [.userPresence, .devicePasscode],
                    any: true))
        #expect(call.label == "L" && call.comment == "C" && call.attributes == ["k": "v=w"] && call.mode == .new)
        #expect(call.expires == 1_927_843_200_000)
    }
}
