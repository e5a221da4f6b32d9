import Broker
import Coffer
import TestSupport
import Testing
import Vault

@Suite("items that nobody can read any longer, because other fingers are enrolled")
struct LostFingerTests {
    /// A broker with an item of former fingers, and one that requires presence.
    private func fixture() async throws -> (ThrowAwayBroker, ServiceFixture) {
        let broker = try await ThrowAwayBroker(sealer: { SoftwareSealer(directory: $0.vaultDirectory) })
        let client = try broker.client()
        try await broker.makeVault(client)
        let (former, present) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        try await broker.makeItem(client, service: "gated", account: "lost", requiringFingers: former)
        try await broker.makeItem(client, service: "other", account: "bound", requiringFingers: present)
        await client.close()
        return (broker, try await ServiceFixture(broker: broker.configuration.socket))
    }

    @Test("Such an item keeps no other one from being asked for")
    func others() async throws {
        let (broker, service) = try await fixture()
        try await service.keychain("gated").set("v", for: "one", access: .whenUnlocked.requiring(.userPresence))
        try service.check("lost_fingers", in: "edges.py")
        await service.end()
        await broker.stop()
    }

    @Test("An export leaves it out, names it and has the others")
    func export() async throws {
        let (broker, service) = try await fixture()
        let keychain = service.keychain("other")
        try await keychain.delete("bound")
        try await keychain.set("v", for: "open")
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        let result = try service.run(
            ServiceFixture.program("coffer"), ["export", "--to", recipient, "--armor", "--no-prompt"])
        #expect(result.status == 0 && result.output.hasPrefix("-----BEGIN AGE ENCRYPTED FILE-----"), "\(result)")
        #expect(
            result.errors.contains("lost") && result.errors.contains("  (the enrolled fingers changed"), "\(result)")
        #expect(result.errors.contains("Exported 1 secret; left out 1"), "\(result)")
        await service.end()
        await broker.stop()
    }
}
