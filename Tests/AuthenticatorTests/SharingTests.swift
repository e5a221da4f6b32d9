import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import JSON
import Platform
import Testing

@testable import Authenticator

/// Which requests one prompt answers if a broker lies or an authenticator dies. SharedPromptTests has the honest case,
/// with the real broker.
@Suite struct SharingTests {
    private static let waiting = "Waiting for the answer in this program's other request."

    private func companion(_ challenge: String, _ service: String = "github") throws -> BrokerInterface.Companion {
        let digest = Hex.encode(try SHA256.digest(Array(challenge.utf8)))
        return BrokerInterface.Companion(digest: digest, service: service, account: "me", reason: nil)
    }

    @Test func whatAPromptNamedIsAnsweredByIt() throws {
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change { $0.companions = [companion] }
        var first = try fixture.client()
        let notice = try first.begin("first").message?.text ?? ""
        // To a person, the same item for two threads of a program is one item.
        #expect(notice.hasPrefix("Read \"github\" / \"me\", 2 times\nfor "), "\(notice)")
        var second = try fixture.client()
        #expect(try second.begin("second").message?.text == Self.waiting)
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        #expect(try second.go().isDone)
        #expect(fixture.broker.completions.map(\.means) == [nil, "shared"])
        #expect(fixture.broker.completions.map(\.challenge) == ["first", "second"])
    }

    /// Attacker 9 has shown a harmless name for an item that it wants signed.
    @Test func anotherNameThanTheShownOneIsAskedForByItself() throws {
        let fixture = try Fixture()
        let companion = try companion("second", "harmless")
        fixture.broker.change { $0.companions = [companion] }
        try expectSecondIsAsked(fixture, "second")
    }

    @Test func anotherKindThanTheShownOneIsAskedForByItself() throws {
        let fixture = try Fixture()
        var companion = try companion("second")
        companion.kind = .key
        let shown = companion
        fixture.broker.change { $0.companions = [shown] }
        try expectSecondIsAsked(fixture, "second")
    }

    @Test func anotherChallengeThanTheShownOneIsAskedForByItself() throws {
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change { $0.companions = [companion] }
        try expectSecondIsAsked(fixture, "third")
    }

    private func expectSecondIsAsked(_ fixture: Fixture, _ challenge: String) throws {
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try fixture.client()
        #expect(try second.begin(challenge).message?.text == Self.waiting)
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        #expect(try second.go().message?.text.hasPrefix("Read ") == true)
        #expect(try second.go().message?.style == .secret)
        #expect(fixture.broker.completions.count == 1)
    }

    @Test func anAuthenticatorThatDiedIsSucceeded() throws {
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change { $0.companions = [companion] }
        var first = try fixture.client()
        _ = try first.begin("first")
        let asking = try #require(fixture.conversations.first)
        var second = try fixture.client()
        #expect(try second.begin("second").message?.text == Self.waiting)
        kill(asking, SIGKILL)
        #expect(try second.go().message?.text.hasPrefix("Read ") == true)
        #expect(try second.go().message?.style == .secret)
    }

    /// Attacker 9 describes answered challenges again, to get more signatures for one yes.
    @Test func anAnswerIsTakenOnce() throws {
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change { $0.companions = [companion] }
        var first = try fixture.client()
        _ = try first.begin("first")
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        var second = try fixture.client()
        #expect(try second.begin("second").isDone)
        fixture.broker.change { $0.companions = [] }
        for challenge in ["second", "first"] {
            var again = try fixture.client()
            #expect(try again.begin(challenge).message?.text.hasPrefix("Read ") == true, "\(challenge)")
            #expect(try again.go().message?.style == .secret, "\(challenge)")
        }
        #expect(fixture.broker.completions.map(\.challenge) == ["first", "second"])
    }

    @Test func onlyReadingSharesAPrompt() throws {
        let shared: [PersonRequest] = [.use(.reading, unlocks: false), .use(.reading, unlocks: true)]
        for request in try PersonRequest.samples.values {
            let item = SharedInquiry.sharedItem(of: request)
            #expect(item == (shared.contains(request) ? ItemUse.reading.item : nil), "\(request)")
        }
        // A request that is not shared neither waits nor learns of others.
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change {
            $0.companions = [companion]
            $0.facts.purposes = [.change]
        }
        var clients: [String] = []
        for challenge in ["first", "second"] {
            var client = try fixture.client()
            clients.append(try client.begin(challenge).message?.text ?? "")
            #expect(try client.go().message?.style == .secret)
        }
        #expect(clients.allSatisfy { $0.contains("the requirements for reading \"github\" / \"me\"\n") }, "\(clients)")
        #expect(!fixture.broker.calls.contains("Companions"))
    }

    @Test func moreThanAPersonCanBeShownIsRefused() throws {
        let fixture = try Fixture()
        let many = try (0..<32).map { try companion("other-\($0)") }
        fixture.broker.change { $0.companions = many }
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused)
        // Nobody is asked either for an item that has no room or has too long a name.
        for (service, reason) in [
            (String(repeating: "\u{1}", count: 1024), String(repeating: "\u{1}", count: 2000)),
            (String(repeating: "s", count: 1025), ""),
        ] {
            fixture.broker.change {
                $0.companions = []
                $0.facts.service = service
                $0.facts.reason = reason
            }
            var client = try fixture.client()
            #expect(try client.begin().name == .authenticationChallengeRefused)
        }
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    /// Malware puts 30 long names before the item that it wants, so that the end of the list is cut off.
    @Test func whatHasNoRoomIsAskedForByItself() throws {
        let fixture = try Fixture()
        var named = try (0..<30).map { number in
            var decoy = try companion("decoy-\(number)", "\(number)" + String(repeating: "x", count: 900))
            decoy.reason = String(repeating: "r", count: 500)
            return decoy
        }
        named.append(try companion("wanted", "bank"))
        let wanted = named[30]
        let all = named
        fixture.broker.change { $0.companions = all }
        var first = try fixture.client()
        let notice = (try first.begin("first").message?.text ?? "").unbroken
        #expect(notice.unicodeScalars.count <= PromptLimits.notice && !notice.contains("…"))
        let shown = all.filter { notice.contains("\n  \"\($0.service ?? "")\" / ") }
        #expect(shown.count > 5 && shown.count < 31)
        #expect(notice.contains("these \(shown.count + 1) items"), "\(notice)")
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        for companion in all where !shown.contains(companion) && companion != wanted {
            let challenge = try #require((0..<30).first { all[$0] == companion })
            fixture.broker.change {
                $0.facts.service = companion.service
                $0.facts.reason = companion.reason
                $0.companions = []
            }
            var next = try fixture.client()
            #expect(try next.begin("decoy-\(challenge)").message?.text.hasPrefix("Read ") == true)
            break
        }
        // The wanted item is short. It gets its line, or no answer.
        #expect(shown.contains(wanted))
    }

    @Test func alikeNamesAreToldApart() throws {
        let fixture = try Fixture()
        let long = String(repeating: "n", count: 300)
        let items = [
            try companion("1", long + "-shop"), try companion("2", long + "-bank"), try companion("3", "caf\u{e9}"),
            try companion("4", "cafe\u{301}"), try companion("5", "caf\\u{e9}"),
        ]
        fixture.broker.change { $0.companions = items }
        var client = try fixture.client()
        let notice = (try client.begin("first").message?.text ?? "").unbroken
        let lines = notice.split(separator: "\n").dropFirst().dropLast()
        // Characters count as a person sees them: composed or not, é is é.
        #expect(Set(lines).count == 6 && lines.count == 6, "\(notice)")
        for name in [long + "-shop", long + "-bank", "caf\u{e9}", "cafe\\u{301}", "caf\\\\u{e9}"] {
            #expect(lines.contains("  \"\(name)\" / \"me\""), "\(name): \(notice)")
        }
        #expect(notice.contains("these 6 items"))
    }

    @Test func anAnswerIsRememberedForAMoment() throws {
        let folder = try TemporaryRegistry()
        let (token, other) = ("token", "other")
        let board = try PromptBoard(registryDirectory: folder.path, uid: 7, group: Self.group(pid: 1))
        let elsewhere = try PromptBoard(registryDirectory: folder.path, uid: 7, group: Self.group(pid: 2))
        #expect(try board.turn(of: "own") == .ask)
        #expect(try board.turn(of: "second") == .wait)
        // Another process of the user always asks for itself.
        #expect(try elsewhere.turn(of: token) == .ask)
        try board.end(.yes, of: "own", for: ["own", token, other])
        #expect(try board.answered() == ["own", token, other])
        #expect(try elsewhere.answered().isEmpty)
        #expect(try elsewhere.turn(of: other) == .wait)
        #expect(try board.turn(of: token) == .answered(.yes))
        // Only once. It must not be asked for again while the process that took it lives.
        #expect(try board.answered() == ["own", token, other])
        #expect(try board.turn(of: token) == .ask)
        try board.end(nil, of: token, for: [token])
        #expect(try elsewhere.turn(of: token) == .wait)
        #expect(try board.turn(of: "second") == .ask)
        try board.end(nil, of: "second", for: ["second"])
        let path = "\(folder.path)/prompts/7.json"
        var prompts = try JSONReader.readValue(
            [SharedPrompt].self, from: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        for index in prompts.indices {
            guard let outcome = prompts[index].outcome else { continue }
            prompts[index].outcome = SharedPrompt.Outcome(
                answer: outcome.answer, items: outcome.items, taken: outcome.taken,
                time: outcome.time - SharingLimits.memory)
        }
        try DurableFile.write(JSONWriter.bytes(of: prompts), to: path, mode: 0o600)
        #expect(try board.turn(of: other) == .ask)
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
