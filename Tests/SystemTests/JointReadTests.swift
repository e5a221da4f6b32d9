import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink

/// Several items under one prompt, with the real broker, the real authenticator and a TPM.
@Suite struct JointReadTests {
    private func store(_ broker: WireClient, _ account: String, _ require: [AccessControl.Requirement]) async throws {
        let value = Data("value of \(account)".utf8).base64EncodedString()
        _ = try await broker.call(
            Keychain.Set(
                service: "store", account: account, value: value, access: .init(require: require)))
    }

    /// Holds the conversation, as a person who answers once.
    /// - Returns: the notice, and how often there was a question.
    private func converse(
        _ sandbox: Sandbox, _ challenge: String, answer: String
    ) async throws -> (notice: String, questions: Int) {
        let line = try WireClient(sandbox.directory + "/auth.sock")
        var step = try await line.call(Authentication.Begin(challenge: challenge))
        let notice = step.message?.text ?? ""
        var questions = 0
        while let message = step.message {
            let isQuestion = message.style == .secret
            questions += isQuestion ? 1 : 0
            step = try await line.call(Authentication.Continue(answer: isQuestion ? answer : nil))
        }
        await line.close()
        return (notice, questions)
    }

    @Test func oneAnswerReadsThirtyTwoItems() async throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        let broker = try WireClient(try #require(sandbox.variables["COFFER_SOCKET"]))
        let accounts = (0..<32).map { "item-\($0)" }
        for (number, account) in accounts.enumerated() {
            try await store(broker, account, number == 5 ? [.devicePasscode] : number == 9 ? [] : [.userPresence])
        }
        var method = Keychain.GetAll(
            items: accounts.map { .init(service: "store", account: $0) }, reason: "monthly report")
        let asked = await #expect(throws: Fault.self) { try await broker.call(method) }
        let challenge = try #require(asked?.details.challenge)
        let (notice, questions) = try await converse(sandbox, challenge, answer: "sandbox")
        #expect(questions == 1 && notice.hasPrefix("Read these 32 items:\n"), "\(notice)")
        for account in accounts { #expect(notice.contains("\n  \"store\" / \"\(account)\"\n"), "\(account)") }
        #expect(notice.hasSuffix("Reason it gives: \"monthly report\""), "\(notice)")
        method.challenge = challenge
        let reply = try await broker.call(method)
        #expect(reply.items.map(\.value) == accounts.map { Data("value of \($0)".utf8).base64EncodedString() })
        let reads = try await broker.call(Keychain.Log()).records.filter { $0.event == "read" }
        #expect(reads.map(\.account) == accounts && reads.allSatisfy { $0.outcome == "done" && $0.resolved })
        #expect(reads.allSatisfy { $0.reason == "monthly report" })
        // The answer is spent.
        let again = await #expect(throws: Fault.self) { try await broker.call(method) }
        #expect(again?.name == .challengeRefused)
        try sandbox.expectTPMEmpty()
    }

    @Test func aWrongAnswerReadsNothing() async throws {
        let sandbox = try Sandbox("--software")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        let broker = try WireClient(try #require(sandbox.variables["COFFER_SOCKET"]))
        for account in ["a", "b"] { try await store(broker, account, [.userPresence]) }
        var method = Keychain.GetAll(items: ["a", "b"].map { .init(service: "store", account: $0) })
        let asked = await #expect(throws: Fault.self) { try await broker.call(method) }
        let challenge = try #require(asked?.details.challenge)
        let refused = await #expect(throws: Fault.self) {
            try await converse(sandbox, challenge, answer: "wrong")
        }
        #expect(refused?.name == .authenticationFailed)
        method.challenge = challenge
        let nothing = await #expect(throws: Fault.self) { try await broker.call(method) }
        #expect(nothing?.name == .challengeRefused)
        let records = try await broker.call(Keychain.Log()).records.filter { $0.event == "read" }
        #expect(records.filter { $0.outcome == "password" }.map(\.account) == ["a", "b"])
        #expect(records.allSatisfy { $0.outcome != "done" })
    }
}
