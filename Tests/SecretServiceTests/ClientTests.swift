import Coffer
import Foundation
import Platform
import TestSupport
import Testing

@Suite("the Secret Service, as programs use it")
struct ClientTests {
    @Test(
        "What the specification promises holds, and attackers get nothing",
        arguments: [
            ["sessions", "items", "transient", "introspection"], ["collections"], ["secretstorage"],
            ["foreign_session"], ["bad_keys"], ["session_flood"], ["large_message"],
            ["locked"], ["prompt_flood"], ["prompts_come_and_go"],
        ])
    func holds(_ checks: [String]) async throws {
        let fixture = try await ServiceFixture()
        for check in checks { try fixture.check(check) }
        await fixture.end()
    }

    @Test(
        "The provider keeps no copy of a value that was stored",
        .enabled(if: OwnProcess.effectiveUser == 0, "only root can look into it"))
    func wiped() async throws {
        let fixture = try await ServiceFixture()
        try fixture.check("wiped")
        await fixture.end()
    }

    @Test("python-keyring keeps passwords there, and finds those of coffer set")
    func keyring() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("from-coffer").set("set by coffer", for: "me")
        try fixture.check("keyring")
        await fixture.end()
    }

    @Test("secret-tool stores, looks up, searches and clears, and coffer sees the same item")
    func secretTool() async throws {
        let fixture = try await ServiceFixture()
        let name = ["server", "mail.example.com", "user", "me"]
        let stored = try fixture.run("/usr/bin/secret-tool", ["store", "--label=My mail"] + name, input: "two\nlines")
        #expect(stored.status == 0, "\(stored.errors)")
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup"] + name).output == "two\nlines")
        let found = try fixture.run("/usr/bin/secret-tool", ["search", "--all", "server", "mail.example.com"])
        #expect(found.output.contains("label = My mail"))
        let keychain = fixture.keychain("mail.example.com")
        #expect(try await keychain.string(for: "me") == "two\nlines")
        #expect(try await keychain.attributes(of: "me").label == "My mail")
        // A client that replaces the secret keeps the other fields.
        let field = ["mail.example.com", "me", "--field", "pin"]
        let added = try fixture.run(ServiceFixture.program("coffer"), ["set"] + field, input: "1234")
        #expect(added.status == 0, "\(added.errors)")
        #expect(
            try fixture.run("/usr/bin/secret-tool", ["store", "--label=My mail"] + name, input: "three").status == 0)
        #expect(try fixture.run(ServiceFixture.program("coffer"), ["get"] + field).output == "1234")
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup"] + name).output == "three")
        #expect(
            try fixture.run("/usr/bin/secret-tool", ["store", "--label=My mail"] + name, input: "two\nlines").status
                == 0)
        // A locked vault is opened on the way, by a prompt.
        try await keychain.lock()
        let again = try fixture.run("/usr/bin/secret-tool", ["lookup"] + name)
        #expect(again.output == "two\nlines", "\(again.errors)")
        #expect(try fixture.shown.contains("/secret-tool\" (process "))
        try await keychain.lock()
        #expect(try fixture.run("/usr/bin/secret-tool", ["store", "--label=Other", "a", "b"], input: "x").status == 0)
        #expect(try fixture.run("/usr/bin/secret-tool", ["clear"] + name).status == 0)
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup"] + name).status == 1)
        #expect(try await keychain.exists("me") == false)
        // A person can have it back, and the provider has it again at once.
        let coffer = ServiceFixture.program("coffer")
        let restored = try fixture.run(coffer, ["restore", "mail.example.com", "me"])
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup"] + name).output == "two\nlines")
        await fixture.end()
    }

    @Test(
        "The bridge of KWallet keeps passwords, files and maps, in the default wallet and in others",
        arguments: ["entries", "locked", "many"])
    func kwallet(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "kwallet.py")
        await fixture.end()
    }

    @Test("What other programs change is seen at once, without asking again")
    func changes() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        let query = ["lookup", "service", "elsewhere", "account", "me"]
        #expect(try fixture.run("/usr/bin/secret-tool", query).status == 1)
        try await keychain.set("new", for: "me")
        try await eventually { try fixture.run("/usr/bin/secret-tool", query).output == "new" }
        try await keychain.set("newer", for: "me")
        #expect(try fixture.run("/usr/bin/secret-tool", query).output == "newer")
        try await keychain.delete("me")
        try await eventually { try fixture.run("/usr/bin/secret-tool", query).status == 1 }
        await fixture.end()
    }

    @Test("Coffer imports nothing from itself: the copies would lack the requirements")
    func importsNotItself() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("guarded").set("v", for: "me", access: .whenUnlocked.requiring(.userPresence))
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup", "a", "b"]).status == 1)
        let result = try fixture.run(ServiceFixture.program("coffer"), ["import", "gnome-keyring"])
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(try await fixture.keychain("guarded").list().count == 1)
        await fixture.end()
    }

    @Test("An item of a vault that was locked a moment ago is asked for")
    func lockedJustNow() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("new", for: "me")
        for _ in 0..<5 {
            try await keychain.lock()
            let found = try fixture.run("/usr/bin/secret-tool", ["lookup", "service", "elsewhere", "account", "me"])
            #expect(found.output == "new", "\(found)")
        }
        await fixture.end()
    }

    @Test("A second provider names the first one")
    func names() async throws {
        let fixture = try await ServiceFixture()
        #expect(try fixture.run("/usr/bin/secret-tool", ["lookup", "a", "b"]).status == 1)
        let program = ServiceFixture.program("coffer-secret-service")
        let second = try fixture.run(program, [])
        #expect(second.status == 1)
        #expect(second.errors.contains("coffer-secret-service (process "))
        #expect(second.errors.contains("coffer-secret-service --replace"))
        await fixture.end()
    }

    // Only root can become another user.
    @Test(
        "Another user who reaches the bus is refused",
        .enabled(if: OwnProcess.effectiveUser == 0, "only root can become another user"))
    func otherUser() async throws {
        let fixture = try await ServiceFixture()
        #expect(try fixture.search().status == 0)
        let other = try fixture.search(as: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        #expect(other.status != 0)
        #expect(other.errors.contains("the secrets of another user"), "\(other.errors)")
        await fixture.end()
    }

    /// Waits for an event of the broker to arrive.
    private func eventually(_ condition: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + patience
        while !(try condition()) {
            guard ContinuousClock.now < deadline else {
                Issue.record("it did not happen")
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

@Suite("a person between a program and a secret")
struct PersonTests {
    private func gatedItems(_ fixture: ServiceFixture) async throws {
        let keychain = fixture.keychain("gated")
        for account in ["one", "two"] {
            try await keychain.set("secret \(account)", for: account, access: .whenUnlocked.requiring(.userPresence))
        }
        try await keychain.set(
            "secret own", for: "own", access: .whenUnlocked.requiring(.applicationPassword), applicationPassword: "own")
    }

    @Test("A gated item is given out after the person was asked, by the name of the program that asks")
    func gated() async throws {
        let fixture = try await ServiceFixture()
        try await gatedItems(fixture)
        try fixture.check("gated")
        await fixture.end()
    }

    @Test(
        "The bridge of KWallet finds what was imported from KWallet, and a gated entry is given out after the person was asked"
    )
    func kwallet() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("Passwords")
        var attributes = ["server": "Passwords", "user": "mail", "type": "plaintext", "xdg:schema": "org.qt.keychain"]
        try await keychain.set(
            "guarded", for: "mail", access: .whenUnlocked.requiring(.userPresence), attributes: attributes)
        attributes["user"] = "key"
        attributes["type"] = "binary"
        try await keychain.set([0, 255, 10], for: "key", attributes: attributes)
        try fixture.check("imported", in: "kwallet.py")
        await fixture.end()
    }

    @Test("A person who does not answer holds up nobody else, and the call ends with an error")
    func unanswered() async throws {
        let fixture = try await ServiceFixture(answer: nil, options: ["--wait", "8"])
        try await gatedItems(fixture)
        try fixture.check("unanswered")
        await fixture.end()
    }

    @Test("A prompt belongs to its client, and ends when that one dismisses it")
    func dismissed() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try fixture.check("dismissed")
        await fixture.end()
    }

    @Test("A wrong answer is asked for three times, and opens nothing")
    func wrongAnswer() async throws {
        let fixture = try await ServiceFixture(answer: "wrong")
        try fixture.check("wrong_answer")
        #expect(try fixture.shown.split(separator: "--\n").count == 3)
        await fixture.end()
    }
}
