import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// What a device that only reads keeps for itself, also of what it had in common with others.
struct CircleReaderOwnTests {
    private let store = CircleStore()
    private let desk: CircleMachine
    private let server: CircleMachine

    init() throws {
        (desk, server) = (try CircleMachine("desk"), try CircleMachine("server"))
        try desk.found()
        try desk.set("db", "app", "1")
        try enter()
    }

    private func enter() throws {
        let request = try server.request()
        let statement = try #require(try desk.vault.addition(of: request, as: .reader, desk.classKeys))
        try desk.agree(to: statement, of: request)
        try server.vault.enter(desk.vault.answer(request, desk.classKeys), server.profile, server.classKeys)
        try desk.sync(store)
        try settle()
    }

    private func settle() throws { for _ in 0..<3 { for machine in [desk, server] { try machine.sync(store) } } }

    /// It was removed, has kept an item for itself since, and comes back. The item has the id of one that is shared,
    /// and is not shared. So the server may change it, and nobody else does.
    @Test func whatItKeepsForItselfStaysItsOwn() throws {
        try desk.remove(server)
        try settle()
        try server.vault.forgetCircle(server.classKeys)
        let shared = try server.vault.find(service: "db", account: "app").id
        try server.set("db", "app", "mine", .whenUnlocked.thisDeviceOnly)
        #expect(try server.vault.find(service: "db", account: "app").id == shared)
        try desk.set("db", "app", "2")
        try enter()
        #expect(try server.get("db", "app") == "mine")
        try server.set("db", "app", "mine too", .whenUnlocked.thisDeviceOnly)
        try desk.set("db", "app", "3")
        try settle()
        #expect(try server.get("db", "app") == "mine too" && desk.get("db", "app") == "3")
        _ = try server.vault.verify()
    }
}
