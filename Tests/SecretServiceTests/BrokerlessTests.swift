import CofferTestKit
import Foundation
import SystemBus
import TestSupport
import Testing
import Vault

@testable import SecretService

@Suite("a provider without a vault, without a broker, or after another provider")
struct BrokerlessTests {
    private func broker() async throws -> ThrowAwayBroker {
        try await ThrowAwayBroker(sealer: { SoftwareSealer(directory: $0.vaultDirectory) })
    }

    @Test("What needs no vault is answered while the broker is down")
    func down() async throws {
        let broker = try await broker()
        let client = try broker.client()
        try await broker.makeVault(client)
        await client.close()
        let fixture = try await ServiceFixture(broker: broker.configuration.socket)
        let program = try BusProgram(fixture.address)
        let session = try program.openSession()
        let stored = try program.create(["a": "1"], "stored", session: session)
        let item = try program.create(["a": "1"], "short", session: session, in: BusProgram.transient)
        try await fixture.keychain("any").lock()
        let unlocking = try program.call(ServiceName.root, ServiceName.service, "Unlock", [.paths([stored])])
        let prompt = try #require(unlocking.last?.path)
        await broker.stop()
        let query = BusValue.dictionary(["a": "1"])
        try await waitUntil {
            program.refusal(ServiceName.root, ServiceName.service, "SearchItems", [query]) != nil
        }

        let other = try program.openSession()
        for path in [ServiceName.root, BusProgram.login, stored, item, session, prompt] {
            #expect(program.refusal(path, ServiceName.introspectable, "Introspect") == nil, "\(path)")
        }
        #expect(try program.property("Locked", of: ServiceName.item, at: item) == .flag(false))
        #expect(try program.property("Label", of: ServiceName.item, at: item) == .text("L"))
        let changed = try BusProgram.secret("changed", session: session)
        #expect(program.refusal(item, ServiceName.item, "SetSecret", [changed]) == nil)
        #expect(try program.secret(of: item, session: session).value == "changed")
        // The same of the service itself, if nothing of the vault is asked for.
        #expect(try program.secrets(of: [item], session: session)[item]?.value == "changed")
        let open = [item, BusProgram.transient]
        let unlocked = try program.call(ServiceName.root, ServiceName.service, "Unlock", [.paths(open)])
        #expect(unlocked.first?.paths == open && unlocked.last?.path == ServiceName.none)
        let refused: [(member: String, arguments: [BusValue])] = [
            ("GetSecrets", [.paths([item, stored]), .path(session)]), ("Unlock", [.paths([item, stored])]),
            ("Unlock", [.paths([])]),
        ]
        for (member, arguments) in refused {
            let refusal = program.refusal(ServiceName.root, ServiceName.service, member, arguments)
            #expect(refusal == BusErrorName.failed, "\(member)")
        }
        #expect(program.refusal(item, ServiceName.item, "Delete") == nil)
        let next = try program.create(["a": "2"], "next", session: session, in: BusProgram.transient)
        #expect(try program.secret(of: next, session: session).value == "next")
        #expect(program.refusal(prompt, ServiceName.prompt, "Dismiss") == nil)
        #expect(program.refusal(other, ServiceName.session, "Close") == nil)
        // What needs the vault says why it fails.
        #expect(program.refusal(stored, ServiceName.item, "GetSecret", [.path(session)]) == BusErrorName.failed)
        await fixture.end()
    }

    @Test("An alias cannot be kept without a vault. The error is that of a locked one, which Unlock makes")
    func withoutVault() async throws {
        let broker = try await broker()
        let fixture = try await ServiceFixture(broker: broker.configuration.socket)
        let program = try BusProgram(fixture.address)
        for path in [BusProgram.login, ServiceName.none] {
            let refusal = program.refusal(
                ServiceName.root, ServiceName.service, "SetAlias", [.text("default"), .path(path)])
            #expect(refusal == ServiceError.isLocked, "\(path)")
        }
        await fixture.end()
        await broker.stop()
    }

    @Test("An item of the session collection has a path that no item of a later provider has")
    func later() async throws {
        let fixture = try await ServiceFixture()
        let program = try BusProgram(fixture.address)
        let old = try program.create(
            ["a": "1"], "old", session: try program.openSession(), in: BusProgram.transient)
        kill(try fixture.provider, SIGKILL)
        try await waitUntil { try !program.hasProvider() }
        let session = try program.openSession()
        let new = try program.create(["a": "1"], "new", session: session, in: BusProgram.transient)
        #expect(new != old)
        #expect(program.refusal(old, ServiceName.item, "Delete") == ServiceError.noSuchObject)
        #expect(try program.secret(of: new, session: session).value == "new")
        await fixture.end()
    }
}

@Suite("a vault that is locked while a person is asked")
struct LockedMeanwhileTests {
    @Test("The program learns that the item is locked, so that it can open the vault and try again", arguments: [1, 2])
    func told(_ count: Int) async throws {
        let fixture = try await ServiceFixture(answer: nil)
        let keychain = fixture.keychain("gated")
        for account in ["one", "two"].prefix(count) {
            try await keychain.set("secret", for: account, access: .whenUnlocked.requiring(.userPresence))
        }
        async let outcome = BusProgram.apart(on: fixture.address) { program -> String in
            let session = try program.openSession()
            let items = try program.items(["service": "gated"])
            guard count > 1 else {
                let item = try #require(items.first)
                return program.refusal(item, ServiceName.item, "GetSecret", [.path(session)]) ?? "served"
            }
            let answer = try program.call(
                ServiceName.root, ServiceName.service, "GetSecrets", [.paths(items), .path(session)])
            return answer == [.array(of: "{o(oayays)}", [])] ? "left out" : "served"
        }
        try await waitUntil { try !fixture.shown.isEmpty }
        try await keychain.lock()
        try fixture.give(SandboxBroker.password)
        #expect(try await outcome == (count == 1 ? ServiceError.isLocked : "left out"))
        await fixture.end()
    }
}
