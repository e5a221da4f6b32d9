import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

/// Coffer asks for an application password if one is needed, without echo, and gives it to the broker only.
@Suite struct ApplicationPasswordTests {
    private static let secret = Array("s3cret".utf8)
    private static let encoded = Data("CANARY".utf8).base64EncodedString()
    private static let required = FakeServer.Step.fault(
        .applicationPasswordRequired, "this item needs its application password")

    @Test func aGetAsksForItWhenItIsRequired() throws {
        let fixture = try FakeCoffer(broker: ["Get": [Self.required, FakeCoffer.value(Self.secret)]])
        let result = try fixture.program.run(
            "get", "github", "me", turns: [.init(wait: "Application password for github/me: ", type: "CANARY\r")])
        #expect(result.status == 0)
        #expect(result.output == Self.secret)
        #expect(!result.screen.contains("CANARY") && !result.errors.contains("CANARY"))
        let calls = try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.applicationPassword }
        #expect(calls == [nil, Self.encoded])
    }

    @Test func withAPersonBesidesBothGoAlong() throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [Self.required, FakeCoffer.personNeeded(), FakeCoffer.value(Self.secret)]],
            authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run(
            "get", "github", "me",
            turns: [
                .init(wait: "Application password for github/me: ", type: "CANARY\r"),
                .init(wait: "Password: ", type: "login\r"),
            ])
        #expect(result.status == 0)
        let last = try #require(try fixture.broker.calls("Get").last?.parameters(Keychain.Get.self))
        #expect(last.applicationPassword == Self.encoded && last.challenge == "c1")
    }

    @Test func whereThereIsAChoiceTheFlagMakesIt() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Self.secret)]])
        let result = try fixture.program.run(
            "get", "github", "me", "--app-password",
            turns: [.init(wait: "Application password for github/me: ", type: "CANARY\r")])
        #expect(result.status == 0)
        let calls = try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.applicationPassword }
        #expect(calls == [Self.encoded])
    }

    @Test func aWrongOneIsFourAndNotAskedForAgain() throws {
        let refused = FakeServer.Step.fault(
            .applicationPasswordRefused, "The application password is wrong, or the item is damaged.")
        let fixture = try FakeCoffer(broker: ["Get": [Self.required, refused]])
        let result = try fixture.program.run(
            "get", "github", "me", "--json",
            turns: [.init(wait: "Application password for github/me: ", type: "CANARY\r")])
        #expect(result.status == 4)
        #expect(result.errors.contains("\"application-password-refused\""))
        #expect(!result.errors.contains("CANARY"))
        #expect(result.output.isEmpty)
        #expect(fixture.broker.calls("Get").count == 2)
    }

    @Test(arguments: [["get", "github", "me"], ["get", "github", "me", "--app-password"]])
    func withoutAPromptItFailsAtOnce(command: [String]) throws {
        let fixture = try FakeCoffer(broker: ["Get": [Self.required]])
        let result = try fixture.program.run(command + ["--no-prompt", "--json"])
        #expect(result.status == 4)
        #expect(result.errors.contains("\"authentication-needed\""))
        #expect(fixture.broker.calls("Get").count == (command.count == 3 ? 1 : 0))
    }

    /// Also a program of another system, whose lines end in CR LF.
    @Test(arguments: ["CANARY\\n", "CANARY\\r\\n", "CANARY"]) func withoutATerminalTheNamedProgramAsks(
        answer: String
    ) throws {
        var fixture = try FakeCoffer(broker: ["Get": [Self.required, FakeCoffer.value(Self.secret)]])
        fixture.program.environment["COFFER_ASKPASS"] = try fixture.scratch.program(
            "askpass",
            "#!/bin/sh\nprintf '%s\\n' \"$COFFER_ASKPASS_PROMPT\" >'\(fixture.scratch.file("prompt"))'\nprintf '\(answer)'\n"
        )
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 0)
        #expect(
            try String(contentsOfFile: fixture.scratch.file("prompt"), encoding: .utf8)
                == "Application password for github/me: \n")
        let last = try #require(try fixture.broker.calls("Get").last?.parameters(Keychain.Get.self))
        #expect(last.applicationPassword == Self.encoded)
    }

    @Test func aSetAsksTwice() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        let result = try fixture.program.run(
            "set", "github", "me", "--require", "app-password", "--generate",
            turns: [
                .init(wait: "New application password for github/me: ", type: "CANARY\r"),
                .init(wait: "Once more: ", type: "CANARY\r"),
            ])
        #expect(result.status == 0)
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(call.applicationPassword == Self.encoded && call.access?.require == [.applicationPassword])
        #expect(!result.screen.contains("CANARY"))
    }

    @Test(arguments: [("CANARY\r", "OTHER\r"), ("\r", "")])
    func twoThatDifferOrNoneStoreNothing(first: String, second: String) throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        var turns = [Program.Turn(wait: "New application password for github/me: ", type: first)]
        if !second.isEmpty { turns.append(.init(wait: "Once more: ", type: second)) }
        let result = try fixture.program.run(
            "set", "github", "me", "--require", "app-password", "--generate", turns: turns)
        #expect(result.status == 1)
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    @Test func anEditAsksForTheNewOneAndTheOldOne() throws {
        let show = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item(require: [.applicationPassword])))
        let edited = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item(require: [.applicationPassword])))
        let fixture = try FakeCoffer(broker: ["Show": [show], "Edit": [Self.required, edited]])
        let result = try fixture.program.run(
            "edit", "github", "me", "--require", "app-password",
            turns: [
                .init(wait: "New application password for github/me: ", type: "NEW\r"),
                .init(wait: "Once more: ", type: "NEW\r"),
                .init(wait: "Application password for github/me: ", type: "CANARY\r"),
            ])
        #expect(result.status == 0)
        let call = try #require(try fixture.broker.calls("Edit").last?.parameters(Keychain.Edit.self))
        #expect(call.applicationPassword == Self.encoded)
        #expect(call.newApplicationPassword == Data("NEW".utf8).base64EncodedString())
    }
}
