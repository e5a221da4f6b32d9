import Coffer
import Foundation
import Platform
import Testing

@testable import CofferClient
@testable import SecretService

@Suite("programs that get nothing, because nobody can be asked")
struct ObstacleTests {
    @Test("The error and the journal say why, and what to do")
    func nobodyToAsk() async throws {
        let fixture = try await ServiceFixture(asks: false)
        try await fixture.keychain("gated").set(
            "secret one", for: "one", access: .whenUnlocked.requiring(.userPresence))
        try fixture.check("nobody_to_ask")
        let reason = "but there is no terminal to ask at"
        let lines = try fixture.log.split(separator: "\n").filter { $0.contains(reason) }
        #expect(lines.count == 2, "one for the vault, one for the item: \(lines)")
        for wayOut in ["coffer unlock", "coffer agent", "COFFER_ASKPASS"] {
            #expect(lines.contains { $0.contains(wayOut) })
        }
        await fixture.end()
    }

    @Test("secret-tool tells the person nothing; the journal does, once, and names it. coffer unlock helps")
    func secretTool() async throws {
        let fixture = try await ServiceFixture(asks: false)
        let keychain = fixture.keychain("elsewhere")
        try await keychain.set("a value", for: "me")
        try await keychain.lock()
        let query = ["lookup", "service", "elsewhere", "account", "me"]
        for _ in 0..<3 {
            let found = try fixture.run("/usr/bin/secret-tool", query)
            #expect(found.status == 1 && found.output.isEmpty, "\(found)")
        }
        let stored = try fixture.run("/usr/bin/secret-tool", ["store", "--label=Other", "a", "b"], input: "x")
        #expect(stored.status == 1 && stored.errors.contains("coffer unlock"), "\(stored)")
        let lines = try fixture.log.split(separator: "\n").filter { $0.contains("/secret-tool\" (process ") }
        #expect(lines.count == 1, "\(lines)")
        let unlocked = try fixture.run(
            "env", ["COFFER_ASKPASS=\(fixture.askPass)", ServiceFixture.program("coffer"), "unlock"])
        #expect(unlocked.status == 0, "\(unlocked.errors)")
        #expect(try fixture.run("/usr/bin/secret-tool", query).output == "a value")
        await fixture.end()
    }

    @Test("A person who cancels is not told so again")
    func cancelled() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try fixture.check("dismissed")
        #expect(try !fixture.log.contains("got nothing"))
        await fixture.end()
    }

    @Test("The journal does not name an item that is gone, and the client is told which one it is")
    func namelessLoss() {
        let gone = KeychainError(.notFound, "clinic/me: no such item", advice: "list your items with: coffer list")
            .naming("clinic/me")
        for error in [gone, gone.forApplication].map({ ServiceError($0) }) {
            #expect(error.message.contains("clinic/me: no such item"), "\(error)")
            #expect(error.logged.hasPrefix("an item: no such item"), "\(error)")
        }
    }

    private func client(_ name: String, program: String) -> BusClient {
        BusClient(name: name, process: 1, program: .file(program))
    }

    @Test("Each reason of a program is told once, until a prompt works. The journal is not filled")
    func bounded() {
        var table = ObstacleTable()
        let (one, again) = (client(":1.1", program: "/a"), client(":1.2", program: "/a"))
        #expect(table.isNew("why", for: one) == .new)
        #expect(table.isNew("why", for: again) == .known)
        #expect(table.isNew("why", for: client(":1.3", program: "/b")) == .new)
        table.promptWorked(for: again)
        #expect(table.isNew("why", for: one) == .new)
        let told = (0..<1000).map { table.isNew("reason \($0)", for: one) }
        #expect(told.filter { $0 == .new }.count == ReportLimits.kept - 3)
        #expect(told.filter { $0 == .last }.count == 1)
    }

    @Test("The reason of a failed prompt belongs to its connection, and goes with it or the lock")
    func connections() {
        var table = ObstacleTable()
        let (one, other) = (client(":1.1", program: "/a"), client(":1.2", program: "/a"))
        table.promptFailed("why", for: one)
        #expect(table.ofPrompt(for: one) == "why" && table.ofPrompt(for: other) == nil)
        table.clientLeft(":1.1")
        #expect(table.ofPrompt(for: one) == nil)
        table.promptFailed("why", for: other)
        table.vaultOpened()
        #expect(table.ofPrompt(for: other) == nil)
    }
}
