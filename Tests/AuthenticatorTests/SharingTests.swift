import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Testing

@testable import Authenticator

/// Who is answered by one prompt, where a broker lies or an authenticator dies. The honest case is tested with the real broker, in SharedPromptTests.
@Suite struct SharingTests {
    private static let waiting = "Waiting for the answer in this program's other request."

    private func companion(_ challenge: String, _ service: String = "github") throws -> BrokerInterface.Companion {
        let digest = Hex.encode(try SHA256.digest(Array(challenge.utf8)))
        return BrokerInterface.Companion(digest: digest, service: service, account: "me", reason: nil)
    }

    @Test func whatAPromptNamedIsAnsweredByIt() throws {
        let stage = try Stage()
        let companion = try companion("second")
        stage.broker.change { $0.companions = [companion] }
        var first = try stage.client()
        let notice = try first.begin("first").message?.text ?? ""
        // The same item for two of its threads is one thing to a person.
        #expect(notice.hasSuffix("asks to read \"github\" / \"me\"."))
        var second = try stage.client()
        #expect(try second.begin("second").message?.text == Self.waiting)
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Stage.password).isDone)
        #expect(try second.go().isDone)
        #expect(stage.broker.completions.map(\.means) == [nil, "shared"])
        #expect(stage.broker.completions.map(\.challenge) == ["first", "second"])
    }

    /// Attacker 9 has shown a harmless name for what it wants signed.
    @Test func anotherNameThanTheShownOneIsAskedForByItself() throws {
        let stage = try Stage()
        let companion = try companion("second", "harmless")
        stage.broker.change { $0.companions = [companion] }
        try expectSecondIsAsked(stage, "second")
    }

    @Test func anotherChallengeThanTheShownOneIsAskedForByItself() throws {
        let stage = try Stage()
        let companion = try companion("second")
        stage.broker.change { $0.companions = [companion] }
        try expectSecondIsAsked(stage, "third")
    }

    private func expectSecondIsAsked(_ stage: Stage, _ challenge: String) throws {
        var first = try stage.client()
        _ = try first.begin("first")
        var second = try stage.client()
        #expect(try second.begin(challenge).message?.text == Self.waiting)
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Stage.password).isDone)
        #expect(try second.go().message?.text.contains("asks to read") == true)
        #expect(try second.go().message?.style == .secret)
        #expect(stage.broker.completions.count == 1)
    }

    @Test func anAuthenticatorThatDiedIsSucceeded() throws {
        let stage = try Stage()
        let companion = try companion("second")
        stage.broker.change { $0.companions = [companion] }
        var first = try stage.client()
        _ = try first.begin("first")
        let asking = try #require(stage.conversations.first)
        var second = try stage.client()
        #expect(try second.begin("second").message?.text == Self.waiting)
        kill(asking, SIGKILL)
        #expect(try second.go().message?.text.contains("asks to read") == true)
        #expect(try second.go().message?.style == .secret)
    }

    @Test func moreThanAPersonCanBeShownIsRefused() throws {
        let stage = try Stage()
        let many = try (0..<32).map { try companion("other-\($0)") }
        stage.broker.change { $0.companions = many }
        var client = try stage.client()
        #expect(try client.begin().name == .authenticationChallengeRefused)
        let fewer = Array(many.dropLast())
        stage.broker.change {
            $0.companions = fewer.enumerated().map { index, item in
                var item = item
                item.service = "\(index)" + String(repeating: "s", count: 500)
                item.reason = String(repeating: "r", count: 500)
                return item
            }
        }
        var next = try stage.client()
        let text = try next.begin().message?.text ?? ""
        // All of them, and nothing cut off behind.
        #expect(text.components(separatedBy: "\n  ").count == 33)
        #expect(text.hasSuffix("…\""))
        #expect(text.count < Notice.longest)
    }

    @Test func anAnswerIsRememberedForAMoment() throws {
        let folder = try TemporaryRegistry()
        let token = "token"
        let board = try PromptBoard(registryDirectory: folder.path, uid: 7, group: Self.group(pid: 1))
        let other = try PromptBoard(registryDirectory: folder.path, uid: 7, group: Self.group(pid: 2))
        #expect(try board.turn(of: token) == .ask)
        #expect(try board.turn(of: "second") == .wait)
        // Another process of the user's asks for itself, whatever is going on.
        #expect(try other.turn(of: token) == .ask)
        try board.end(.yes, for: [token])
        #expect(try board.turn(of: token) == .answered(.yes))
        #expect(try other.turn(of: token) == .wait)
        #expect(try board.turn(of: "second") == .ask)
        try board.end(nil, for: ["second"])
        #expect(try board.turn(of: "second") == .ask)
        let path = "\(folder.path)/prompts/7.json"
        var prompts = try JSONDecoder().decode([SharedPrompt].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        for index in prompts.indices {
            guard let outcome = prompts[index].outcome else { continue }
            prompts[index].outcome = SharedPrompt.Outcome(
                answer: outcome.answer, items: outcome.items, time: outcome.time - PromptBoard.memory)
        }
        try DurableFile.write(Array(JSONEncoder().encode(prompts)), to: path, mode: 0o600)
        #expect(try board.turn(of: token) == .wait)
    }

    private static func group(pid: Int32) -> PromptGroup {
        PromptGroup(pid: pid, startTime: 1, owner: "user:7", purposes: ["read"], services: ["coffer"])
    }

    private final class TemporaryRegistry {
        let path = NSTemporaryDirectory() + "coffer-prompts-" + UUID().uuidString.prefix(13)
        init() throws { try Folder.make(path, mode: 0o755) }
        // Nothing is lost when it stays behind.
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }
}
