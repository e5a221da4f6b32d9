import Authorization
import BrokerProtocol
import Foundation
import Testing

@testable import Authenticator

/// Several items under one prompt: what the person is shown, and what a taken-over broker does not get that way
/// (attacker 9).
struct JointReadTests {
    /// A broker that asks for these items. Each requires presence.
    private func fixture(_ accounts: [String] = ["me", "you", "all"], unlocks: Bool = false) throws -> Fixture {
        let fixture = try Fixture()
        fixture.broker.change { script in
            script.facts.purposes = unlocks ? [.unlock, .read] : [.read]
            script.facts.service = nil
            script.facts.account = nil
            script.facts.reason = "monthly report"
            script.facts.items = accounts.map { .init(service: "github", account: $0) }
            let kinds = (unlocks ? ["unlock"] : []) + accounts.map { _ in "presence" }
            script.facts.authorizations = kinds.map { .init(kind: $0) }
            script.facts.alternatives = [kinds.indices.map(Int64.init)]
        }
        return fixture
    }

    @Test func onePromptNamesAllAndEachIsSignedForOnce() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        let notice = try client.begin().message?.text ?? ""
        #expect(
            notice.hasPrefix(
                "Read these 3 items:\n  \"github\" / \"me\"\n  \"github\" / \"you\"\n  \"github\" / \"all\"\nfor /"),
            "\(notice)")
        #expect(notice.hasSuffix("\nReason it gives: \"monthly report\"") && notice.contains("(process \(getpid()), "))
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        // It looks for no other requests, because its prompt is its own.
        #expect(
            fixture.broker.calls == ["Describe", "Prepare", "Complete", "Prepare", "Complete", "Prepare", "Complete"])
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1, 2])
    }

    @Test func openingTheVaultIsNamedBesides() throws {
        let fixture = try fixture(["me", "you"], unlocks: true)
        var client = try fixture.client()
        let notice = try client.begin().message?.text ?? ""
        #expect(notice.hasPrefix("Read these 2 items and unlock your vault:\n"), "\(notice)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1, 2])
        let single = try self.fixture(["me"])
        var other = try single.client()
        let text = try other.begin().message?.text ?? ""
        #expect(
            text.hasPrefix("Read \"github\" / \"me\"\nfor ") && text.hasSuffix("\nReason it gives: \"monthly report\""))
    }

    @Test func namesCannotMoveTheCursorOrHideOthers() throws {
        let names = ["a\u{1b}[2K", "b\n  \"github\" / \"harmless\"", "c\u{202e}", "caf\u{e9}", "cafe\u{301}"]
        let fixture = try fixture(names)
        fixture.broker.change { $0.facts.reason = "x\u{1b}[1A\n  \"github\" / \"other\"" }
        var client = try fixture.client()
        let notice = try client.begin().message?.text ?? ""
        let lines = notice.unbroken.split(separator: "\n")
        // One line for the opening, one for each item, one for the program, one for the reason.
        #expect(lines.count == 8 && Set(lines).count == 8, "\(notice)")
        #expect(notice.unicodeScalars.allSatisfy { $0 == "\n" || ($0 != "\u{1b}" && $0 != "\u{202e}") })
        #expect(lines.contains(#"  "github" / "a\u{1b}[2K""#), "\(notice)")
        #expect(lines.contains(#"  "github" / "c\u{202e}""#) && lines.contains(#"  "github" / "cafe\u{301}""#))
    }

    /// An item has fields, and no name can imitate one.
    @Test func fieldsAreShownBesideTheNames() throws {
        let fixture = try fixture(["me", "me", #"me", field "pin"#])
        fixture.broker.change { $0.facts.items?[1].fields = ["pin", "o\u{202e}tp"] }
        var client = try fixture.client()
        let lines = try client.begin().message?.text.unbroken.split(separator: "\n") ?? []
        for line in [
            #"  "github" / "me""#, #"  "github" / "me", fields "pin", "o\u{202e}tp""#,
            #"  "github" / "me\", field \"pin""#,
        ] {
            #expect(lines.contains(Substring(line)), "\(lines)")
        }
        // The secret that is named is the same as one that is left out.
        fixture.broker.change { $0.facts.items?[1].fields = ["secret"] }
        var refused = try fixture.client()
        #expect(try refused.begin().name == .authenticationChallengeRefused)
        let single = try Fixture()
        single.broker.change { $0.facts.fields = ["pin"] }
        var other = try single.client()
        let notice = try other.begin().message?.text ?? ""
        #expect(notice.hasPrefix("Read \"github\" / \"me\", field \"pin\"\nfor "), "\(notice)")
    }

    /// Items of different kinds can have one name. No name can imitate a kind.
    @Test func kindsAreShownBesideTheNames() throws {
        let fixture = try fixture(["me", "me", "me (key)"])
        fixture.broker.change { $0.facts.items?[1].kind = .key }
        var client = try fixture.client()
        let lines = try client.begin().message?.text.split(separator: "\n") ?? []
        for line in [#"  "github" / "me""#, #"  "github" / "me" (key)"#, #"  "github" / "me (key)""#] {
            #expect(lines.contains(Substring(line)), "\(lines)")
        }
        // A kind that is named is the same as one that is left out.
        fixture.broker.change { $0.facts.items?[1].kind = .genericPassword }
        var refused = try fixture.client()
        #expect(try refused.begin().name == .authenticationChallengeRefused)
        let single = try Fixture()
        single.broker.change { $0.facts.kind = .certificate }
        var other = try single.client()
        let notice = try other.begin().message?.text ?? ""
        #expect(notice.hasPrefix("Read \"github\" / \"me\" (certificate)\nfor "), "\(notice)")
    }

    @Test func aWrongPasswordSignsForNone() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        #expect(try client.authenticate("wrong").name == .authenticationFailed)
        #expect(eventually { fixture.broker.refusals == ["password"] })
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    /// Neither waits for the other, and neither's answer counts for the other.
    @Test func noAnswerIsShared() throws {
        let fixture = try fixture()
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try fixture.client()
        #expect(try second.begin("second").message?.text.contains("these 3 items") == true)
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        #expect(try second.go().message?.style == .secret)
        #expect(fixture.broker.completions.count == 3)
        for unlocks in [false, true] { #expect(SharedInquiry.sharedItem(of: Self.request(unlocks)) == nil) }
    }

    private static func request(_ unlocks: Bool) -> PersonRequest {
        .readAll([ItemUse.reading.item], unlocks: unlocks)
    }

    @Test func anEarlierAnswerOpensNoVault() {
        let all = Set(ProofService.allCases)
        #expect(ReuseRule.allows([.presence, .presence], for: Self.request(false), by: [.anyFactor]))
        #expect(!ReuseRule.allows([.presence, .passcode], for: Self.request(false), by: [.anyFactor]))
        #expect(!ReuseRule.allows([.unlock, .presence], for: Self.request(true), by: all))
        #expect(!ReuseRule.allows([.presence], for: Self.request(true), by: all))
    }

    static let lies: [(String, @Sendable (inout BrokerInterface.Describe.Reply) -> Void)] = [
        ("more items read than named", { $0.items?.removeLast() }),
        (
            "more items than a person can be shown",
            { facts in
                facts.items = (0..<33).map { .init(service: "s", account: "\($0)") }
                facts.authorizations = [.init(kind: "presence")]
                facts.alternatives = [[0]]
            }
        ),
        ("two items of one name", { $0.items?[2] = .init(service: "github", account: "me") }),
        (
            "one item beside the list",
            {
                $0.service = "github"
                $0.account = "hidden"
            }
        ),
        ("half an item beside the list", { $0.account = "hidden" }),
        (
            "names that have no room",
            { facts in
                facts.items = ["a", "b", "c"].map { name in
                    .init(
                        service: name + String(repeating: "\u{1}", count: 1000),
                        account: String(repeating: "\u{1}", count: 1000))
                }
            }
        ),
        ("a name that no item has", { $0.items?[0].account = String(repeating: "x", count: 1025) }),
        (
            "opening the vault on the side",
            {
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1, 2, 3]]
            }
        ),
        ("opening the vault instead", { $0.authorizations[0] = .init(kind: "unlock") }),
        ("a recovery code on the side", { $0.authorizations[0] = .init(kind: "recovery") }),
        (
            "opening it twice",
            {
                $0.purposes = [.unlock, .read]
                $0.authorizations = [.init(kind: "unlock"), .init(kind: "unlock"), .init(kind: "presence")]
            }
        ),
        (
            "nothing to sign",
            {
                $0.authorizations = []
                $0.alternatives = [[]]
            }
        ),
        (
            "a way that leaves the items out",
            {
                $0.purposes = [.unlock, .read]
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1, 2, 3], [3]]
            }
        ),
        ("names for a change", { $0.purposes = [.change] }),
        ("names for a rename", { $0.purposes = [.rename] }),
        (
            "names for a plain opening",
            { facts in
                facts.purposes = [.unlock]
                facts.authorizations = [.init(kind: "unlock")]
                facts.alternatives = [[0]]
            }
        ),
    ]

    @Test(arguments: lies.indices)
    func aLieEndsTheConversation(index: Int) throws {
        let fixture = try fixture()
        fixture.broker.change { Self.lies[index].1(&$0.facts) }
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused, "\(Self.lies[index].0)")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }
}
