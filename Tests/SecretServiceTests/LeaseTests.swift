import CofferTestKit
import Glibc
import Testing

@testable import Coffer
@testable import CofferClient

@Suite("a lease, and the programs on the bus")
struct LeaseTests {
    /// The bus and the provider descend from this process, which has the lease.
    @Test("A lease of the program that started the provider gives the programs on the bus nothing")
    func provider() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("gated")
        for account in ["one", "two"] {
            try await keychain.set("secret \(account)", for: account, access: .whenUnlocked.requiring(.userPresence))
        }
        try await keychain.set(
            "secret own", for: "own", access: .whenUnlocked.requiring(.applicationPassword), applicationPassword: "own")
        let lease = try await fixture.backend.call(
            Wire.Lease(items: ["one", "two"].map { .init(service: "gated", account: $0) }, seconds: 600), in: .own,
            prompts: .handler { $0.wantsAnswer ? SandboxBroker.password : nil }, about: "the lease"
        ).lease
        #expect(lease?.pid == Int64(getpid()))
        // It is good for the items, below this process.
        #expect(try await keychain.string(for: "one") == "secret one")
        #expect(try fixture.shown.isEmpty)
        // Each of these reads asks the person.
        try fixture.check("gated")
        let log: [Wire.LogRecord] = try await fixture.backend.call(Wire.Log(), in: .own).records
        #expect(log.contains { $0.event == "read" && $0.account == "two" && $0.detail == "for another program" })
        await fixture.end()
    }
}
