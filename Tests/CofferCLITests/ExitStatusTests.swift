import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Every error of the broker has its exit status and says what happened.
@Suite struct ExitStatusTests {
    @Test(arguments: [
        (
            Fault(.notFound, "no such thing"), Int32(3),
            "coffer: github/me: no such thing; list your items with: coffer list\n"
        ),
        (
            Fault(.ambiguous, .init(message: "several", accounts: ["me", "you"])), 3,
            "there are several accounts of this service; name one of: me, you"
        ),
        (Fault(.locked, "the vault is locked"), 5, "open it with: coffer unlock"),
        (Fault(.notPermitted, "not yours"), 6, "not yours"),
        (Fault(.damaged, "TPM objects are damaged"), 7, "coffer: TPM objects are damaged\n"),
        (Fault(.tpm, .init(kind: "unavailable", code: 5)), 8, "cannot be reached"),
        (Fault(.tpm, .init(kind: "replaced")), 8, "cleared or replaced"),
        (Fault(.tpm, .init(kind: "lockout")), 8, "lockout"),
        (Fault(.tpm, .init(kind: "refused")), 8, "refused the policy"),
        (Fault(.tpm, .init(kind: "exhausted")), 8, "no room"),
        (Fault(.tpm, .init(kind: "deadline")), 8, "did not answer in time"),
        (Fault(.limitExceeded, "too many"), 1, "too many"),
        (Fault(.failed, "the disk is full"), 1, "the disk is full"),
        (Fault(.invalidArgument, "no such constraint"), 64, "no such constraint"),
        (Fault(.challengeRefused, "too late"), 4, "run the command again"),
    ])
    func brokerErrors(fault: Fault, status: Int32, words: String) throws {
        let fixture = try FakeCoffer(broker: ["Get": [.reply(FakeServer.encode(fault))]])
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == status)
        #expect(result.errors.contains(words))
        #expect(result.errors.hasPrefix("coffer: "))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.output.isEmpty)
    }

    @Test func existingItemIsTen() throws {
        let fixture = try FakeCoffer(broker: ["Rename": [.fault(.alreadyExists, "a/b is there already")]])
        #expect(try fixture.program.run("rename", "github", "me", "a", "b").status == 10)
    }

    /// Status 7 sends people to their backups, and this value is as it was stored.
    @Test func aValueThatIsNoTextIsNotDamaged() throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([0xFF])]])
        fixture.program.environment["EDITOR"] = try fixture.scratch.program("editor", "#!/bin/sh\n")
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 1 && result.errors.contains("is not text"), "\(result)")
    }

    @Test func deadBrokerIsNine() throws {
        let scratch = try Scratch()
        let program = Program(environment: ["COFFER_SOCKET": scratch.file("none.sock")], scratch: scratch)
        let result = try program.run("get", "github", "me")
        #expect(result.status == 9)
        #expect(result.errors.contains("the broker is not running"))
    }

    @Test func brokerThatHangsUpIsNine() throws {
        let fixture = try FakeCoffer(broker: ["Get": [.close]])
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 9)
        #expect(result.errors.contains("the connection to the broker broke: it was closed without an answer"))
    }

    @Test func errorsAsJSONAreOneObject() throws {
        let fixture = try FakeCoffer(broker: [
            "Show": [.fault(.ambiguous, .init(message: "several", accounts: ["me", "you"]))]
        ])
        let result = try fixture.program.run("show", "github", "--json")
        #expect(result.status == 3)
        #expect(
            result.errors
                == #"{"accounts":["me","you"],"advice":"name one of: me, you","code":"ambiguous","exit":3,"message":"there are several accounts of this service"}"#
                + "\n")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        (["gte", "a"], "did you mean 'get'?"),
        (["set", "a"], "Missing expected argument '<account>'"),
        (["get", "a", "--jsno"], "Did you mean '--json'?"),
        (["set", "a", "b", "--new", "--existing"], "--new"),
        (["set", "a", "b", "--generate=3"], "a length is 8 to 1024"),
        (["set", "a", "b", "--expires", "2001-01-01"], "that time is past; give a future time"),
        (["log", "--since", "2130-01-01"], "that time is in the future; give a past time"),
        (["rotate", "--all", "github"], "--all takes no name"),
        (["rotate", "--signing-key", "github"], "--signing-key takes no name"),
        (["rotate", "--all", "--signing-key"], "do not go together"),
        (["rotate"], "name a secret, or give --all"),
        (["vault", "create"], "; see: coffer help vault create"),
        (["recovery", "restore"], "name the old vault's file: coffer recovery restore <file>; see:"),
        (["help", "bogus"], "there is no command 'bogus'"),
        (["help", "lsit"], "did you mean 'list'?"),
        (["help", "vault", "bogus"], "there is no command 'bogus'"),
        (["get", "a", "b", "c"], "'c' is too much"),
        (["get", "a", "b", "--clip", "5"], "write --clip=5"),
        (["set", "a", "b", "--generate", "12"], "write --generate=12"),
        (["set", "a", "--generate", "12"], "write --generate=12"),
        (["edit", "a", "b"], "name something to change"),
        (["set", "", "b"], "must not be empty"),
        (["set", "a", "b", "--label", String(repeating: "x", count: 1025)], "too long: at most 1024 bytes"),
        (["get", "a", "b", "--reason", String(repeating: "x", count: 513)], "too long: at most 512 bytes"),
        (["rename", "a", "b", "c"], "give the present name and the new one"),
        (["rename", "a", "b"], "give the present name and the new one"),
        (["set", String(repeating: "x", count: 1025), "b"], "too long: at most 1024 bytes"),
    ])
    func wrongUseIsSixtyFour(arguments: [String], words: String) throws {
        let fixture = try FakeCoffer()
        let result = try fixture.program.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(words))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["help"], ["help", "get"], ["help", "ls"], ["help", "vault", "create"], ["help", "help"]])
    func helpOfWhatThereIsIsGiven(arguments: [String]) throws {
        let result = try FakeCoffer().program.run(arguments)
        #expect(result.status == 0)
        #expect(result.text.contains("USAGE") && result.errors.isEmpty)
    }

    /// The reader of standard output would take help for a secret. A command that did nothing must not end as if it
    /// had.
    @Test(arguments: [
        ["get", "-hub", "me"], ["get", "hub", "-hme"], ["set", "-ghost", "me"], ["get", "-"], ["rm", "-fh", "a", "b"],
        ["-hub"], ["list", "-vh"], ["get", "--", "-hub", "me", "-h"], ["vault", "-h1", "create"],
    ])
    func aNameThatBeginsWithADashIsWrongUse(arguments: [String]) throws {
        let fixture = try FakeCoffer(broker: [
            "Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()], "Get": [FakeCoffer.value([1])],
        ])
        let result = try fixture.program.run(arguments, input: .bytes([1]))
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(!result.errors.contains("hub") && !result.errors.contains("ghost"))
        #expect(fixture.broker.calls("Set").isEmpty && fixture.broker.calls("Get").isEmpty)
    }

    @Test func behindTwoDashesSuchANameIsOne() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("v".utf8))]])
        let result = try fixture.program.run("get", "--", "-hub", "-me")
        #expect(result.text == "v")
        let call = try #require(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self))
        #expect(call.service == "-hub" && call.account == "-me")
    }

    @Test(arguments: [["-h"], ["get", "-h"], ["get", "a", "--help"], ["set", "-qh"]])
    func helpAloneIsHelp(arguments: [String]) throws {
        let result = try FakeCoffer().program.run(arguments)
        let isHelp = arguments.last != "-qh"
        #expect(result.status == (isHelp ? 0 : 64))
        #expect(result.text.contains("USAGE") == isHelp)
    }

    /// Every program on the machine can read an argument. An error must not repeat one that may be a secret.
    @Test func aSecretAsAnArgumentIsRefusedAndNotRepeated() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run("set", "github", "me", "CANARY-hunter2")
        #expect(result.status == 64)
        #expect(result.errors.contains("never pass a secret as an argument"))
        #expect(!result.errors.contains("CANARY"))
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    /// A pipe whose reader has gone, as after `| head -1`, is normal. The status still says that a value did not
    /// arrive.
    @Test(arguments: ["list", "log", "get github me", "doctor"])
    func aReaderThatWentAwayIsOneAndNothingIsSaid(command: String) throws {
        let fixture = try FakeCoffer(broker: Self.lists)
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let pipe = fixture.scratch.file("pipe")
        let line = "mkfifo \(pipe); exec 3<>\(pipe) 4>\(pipe) 3>&-; \(Program.path) \(command) >&4"
        let result = try shell.run("-c", line)
        #expect(result.status == 1)
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: [">/dev/full", ">&-"])
    func outputThatCannotBeWrittenIsSaid(output: String) throws {
        let fixture = try FakeCoffer(broker: Self.lists)
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let result = try shell.run("-c", "\(Program.path) get github me \(output)")
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot write to standard output"))
    }

    private static let lists: [String: [FakeServer.Step]] = [
        "List": [.answer(Keychain.List.Reply(items: [FakeCoffer.item()]))],
        "Log": [
            .answer(
                Keychain.Log.Reply(
                    records: [
                        Keychain.LogRecord(
                            sequence: 1, time: 1, event: "read", outcome: "done", resolved: true, require: [])
                    ],
                    more: false, problem: nil))
        ],
        "Get": [FakeCoffer.value([1])],
    ]
}
