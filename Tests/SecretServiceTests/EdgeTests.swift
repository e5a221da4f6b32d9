import Coffer
import Foundation
import TestSupport
import Testing

@Suite("what is refused, and prompts, clients and messages that are not as they should be")
struct EdgeTests {
    /// Items that require a person.
    private func gate(_ fixture: ServiceFixture, _ accounts: [String] = ["one", "two"]) async throws {
        let keychain = fixture.keychain("gated")
        for account in accounts {
            try await keychain.set("secret \(account)", for: account, access: .whenUnlocked.requiring(.userPresence))
        }
    }

    @Test(
        "What is refused changes nothing, and what is done is done as a whole",
        arguments: [
            "refusals", "too_large", "twice_named", "transient_changes", "made_later", "aliases_full", "deleted_twice",
            "filled_while_deleted", "deleted_locked", "leaves_known", "leaves_elsewhere", "forged",
        ])
    func holds(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "edges.py")
        await fixture.end()
    }

    @Test("A prompt with a wrong answer makes nothing and deletes nothing")
    func wrongAnswer() async throws {
        let fixture = try await ServiceFixture(answer: "wrong")
        try fixture.check("wrong_answer", in: "edges.py")
        await fixture.end()
    }

    @Test("A person who gives up is not asked again, and is told of no failure")
    func givenUp() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await gate(fixture)
        try fixture.check("given_up", in: "edges.py")
        #expect(try !fixture.log.contains("got nothing"))
        await fixture.end()
    }

    @Test("A person who gives up is not asked for the items that the first question could not name")
    func givenUpOnce() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await gate(fixture, (0..<40).map(String.init))
        try fixture.check("given_up_once", in: "edges.py")
        await fixture.end()
    }

    @Test("All questions of one call have one time limit, and what was read before it is given out")
    func answeredLate() async throws {
        let fixture = try await ServiceFixture(answer: nil, options: ["--wait", "12"])
        try await gate(fixture, (0..<40).map(String.init))
        try fixture.check("answered_late", in: "edges.py")
        await fixture.end()
    }

    @Test(
        "A client without the session that it names asks nobody, and one without a program is named by its title",
        arguments: ["wrong_session", "without_program"])
    func asked(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try await gate(fixture)
        try fixture.check(check, in: "edges.py")
        await fixture.end()
    }

    private static var canMount: Bool {
        // `try?`: without the tool the answer is no.
        geteuid() == 0 && (try? Tool.output("unshare", ["--mount", "mount", "--bind", "/etc", "/mnt"])) != nil
    }

    @Test(
        "A program that is mounted over another one is not taken for it",
        .enabled(if: canMount, "it mounts a program over another one"))
    func mounted() async throws {
        let fixture = try await ServiceFixture()
        try await gate(fixture)
        try fixture.check("mounted_program", in: "edges.py")
        await fixture.end()
    }

    @Test(
        "Prompts, questions, sessions and calls end with their client",
        arguments: ["leaves_prompt", "leaves_waiting", "leaves_calls"])
    func leaves(_ check: String) async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await gate(fixture)
        try fixture.check(check, in: "edges.py")
        await fixture.end()
    }

    @Test(
        "A client that leaves too many calls to wait is told so, and hinders nobody",
        arguments: ["call_flood", "path_flood"])
    func flood(_ check: String) async throws {
        let fixture = try await ServiceFixture(answer: nil, options: ["--wait", "600"])
        try await gate(fixture)
        try fixture.check(check, in: "edges.py")
        await fixture.end()
    }

    @Test("A provider that has lost its name asks nobody for a call that came before")
    func afterItsEnd() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await gate(fixture)
        try fixture.check("asks_after_its_end", in: "edges.py")
        await fixture.end()
    }

    /// Attacker 1: the journal lies on the disk, and is not sealed as the access log is.
    @Test("The journal names no item")
    func namelessReasons() async throws {
        let fixture = try await ServiceFixture(asks: false)
        let keychain = fixture.keychain("gated")
        let guarded = AccessControl.whenUnlocked.requiring(.userPresence)
        try await keychain.apply(
            ["clinic", "lawyer", "bank"].map { account in
                ItemChange(keychain.name(account), .set(NewItem(value: Array("v".utf8), access: guarded)))
            })
        try fixture.check("nameless_reasons", in: "edges.py")
        let lines = try fixture.log.split(separator: "\n").filter { $0.contains(" got nothing: ") }
        #expect(lines.count == 1 && lines.first?.contains("an item needs authentication, but") == true, "\(lines)")
        await fixture.end()
    }

    @Test("The reason of a prompt that failed is not told of a later lock")
    func reasonEnds() async throws {
        let fixture = try await ServiceFixture(asks: false)
        try fixture.check("reason_ends", in: "edges.py")
        await fixture.end()
    }

    @Test("A failure is news again after a prompt that worked")
    func reasonAgain() async throws {
        let fixture = try await ServiceFixture(answer: "wrong")
        try fixture.check("reason_again", in: "edges.py")
        let lines = try fixture.log.split(separator: "\n").filter { $0.contains(" got nothing: ") }
        #expect(lines.count == 2, "\(lines)")
        await fixture.end()
    }
}
