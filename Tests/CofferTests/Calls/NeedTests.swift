import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// What a call is told when it needs a person, and nobody is asked.
@Suite("A call that needs a person, and finds nobody")
struct NeedTests {
    private static func error(
        _ call: () async throws(KeychainError) -> Void
    ) async -> KeychainError? {
        do throws(KeychainError) { try await call() } catch { return error }
        return nil
    }

    private static func unmet(
        _ purposes: [Wire.Purpose], in vault: VaultName = .own
    ) async throws -> (error: KeychainError?, withdrawn: Int) {
        let broker = try PlayedBroker(["Get": [PlayedBroker.need(purposes)]])
        let request = ReadRequest(prompts: .never)
        let error = await Self.error { () throws(KeychainError) in
            _ = try await broker.backend.read([ItemName(service: "s", account: "me")], request, in: vault)
        }
        return (error, broker.server.calls("Withdraw").count)
    }

    @Test("a locked vault is said to be locked, with the command that opens it")
    func locked() async throws {
        for (vault, command) in [
            (VaultName.own, "coffer unlock"), (.group("staff"), "coffer unlock --group staff"),
            (.account("web"), "coffer unlock --user web"),
        ] {
            let (error, withdrawn) = try await Self.unmet([.unlock], in: vault)
            #expect(error?.code == .locked)
            #expect(error?.message == "the vault is locked, and the program may ask nobody")
            #expect(error?.advice == "open it with: \(command)")
            #expect(withdrawn == 1)
        }
    }

    @Test("a vault that is yet to be made needs authentication, and so does an item")
    func authentication() async throws {
        let (new, _) = try await Self.unmet([.create, .unlock])
        #expect(new?.code == .authenticationNeeded && new?.advice == "open it with: coffer unlock")
        #expect(new?.message == "making your vault needs authentication, but the program may ask nobody")
        for purposes in [[Wire.Purpose.read], [.read, .unlock]] {
            let (item, withdrawn) = try await Self.unmet(purposes)
            #expect(item?.code == .authenticationNeeded && withdrawn == 1)
            #expect(item?.message == "s/me needs authentication, but the program may ask nobody")
            #expect(item?.namelessMessage == "an item needs authentication, but the program may ask nobody")
            #expect(item?.advice == "run it where it may ask, or read an item that requires nothing")
        }
    }

    @Test("opening the vault itself needs authentication")
    func unlocking() async throws {
        let broker = try PlayedBroker(["Unlock": [PlayedBroker.need([.unlock])]])
        let error = await Self.error { () throws(KeychainError) in
            try await broker.backend.unlock(.own, prompts: .never)
        }
        #expect(error?.code == .authenticationNeeded)
        #expect(error?.message == "opening the vault needs authentication, but the program may ask nobody")
        #expect(error?.namelessMessage == error?.message)
    }

    @Test("a conversation that fails takes its challenge back, and a person is asked once")
    func failed() async throws {
        let broker = try PlayedBroker(
            ["Get": [PlayedBroker.need([.read])]],
            authenticator: ["Begin": [.fault(.authenticationFailed, Fault.Details(reason: "password"))]])
        let error = await Self.error { () throws(KeychainError) in
            _ = try await broker.keychain(.handler { _ in nil }).bytes(for: "me")
        }
        #expect(error?.code == .wrongPassword)
        #expect(broker.server.calls("Get").count == 1 && broker.authenticator.calls("Begin").count == 1)
        #expect(try await eventually { broker.server.calls("Withdraw").count == 1 })
    }

    /// An authenticator of an earlier version says only that the argument is wrong.
    @Test("fingers that cannot be bound to are no wrong argument")
    func enrolment() async throws {
        let broker = try PlayedBroker(
            ["Set": [PlayedBroker.need([.enrolment])]],
            authenticator: ["Begin": [.fault(.authenticationInvalidArgument, "no finger")]])
        let error = await Self.error { () throws(KeychainError) in
            _ = try await broker.keychain().set("x", for: "me")
        }
        #expect(error?.code == .biometryRefused && error?.message == "no finger")
        let read = try PlayedBroker(
            ["Get": [PlayedBroker.need([.read])]],
            authenticator: ["Begin": [.fault(.authenticationInvalidArgument, "too long")]])
        let other = await Self.error { () throws(KeychainError) in
            _ = try await read.keychain(.handler { _ in nil }).bytes(for: "me")
        }
        #expect(other?.code == .invalidArgument)
    }

    @Test("the call is repeated with the challenge that was passed, and asks nobody else")
    func passed() async throws {
        let broker = try PlayedBroker(
            [
                "Get": [
                    PlayedBroker.need([.read]), .answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item())),
                ]
            ], authenticator: ["Begin": [.answer(Authentication.Step(message: nil, done: true))]])
        let value = try await broker.keychain(.handler { _ in nil }).bytes(for: "me")
        #expect(value == [65, 66])
        let calls = try broker.server.calls("Get").map { try $0.parameters(Wire.Get.self)?.challenge }
        #expect(calls == [nil, "c1"])
        #expect(broker.server.calls("Withdraw").isEmpty)
    }

    @Test("a program that asks for others says so once, after the authenticator's own words")
    func announcement() async throws {
        let info = Authentication.Step(message: .init(style: .info, text: "Read me"), done: false, step: 1)
        let question = Authentication.Step(message: .init(style: .secret, text: "Password:"), done: false, step: 2)
        let broker = try PlayedBroker(
            [
                "Get": [
                    PlayedBroker.need([.read]), .answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item())),
                ]
            ],
            authenticator: [
                "Begin": [.answer(info)],
                "Continue": [.answer(question), .answer(Authentication.Step(message: nil, done: true))],
            ])
        let heard = Heard()
        let prompts = Prompts.handler { message in
            heard.add(message.text)
            return message.wantsAnswer ? "x" : nil
        }
        _ = try await broker.keychain(prompts.announcing("For another program")).bytes(for: "me")
        #expect(heard.texts == ["Read me", "For another program", "Password:"])
        let answers = try broker.authenticator.calls("Continue").map {
            try $0.parameters(Authentication.Continue.self)?.answer
        }
        #expect(answers == [nil, "x"])
    }
}
