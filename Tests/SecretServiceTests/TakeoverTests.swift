import Coffer
import Foundation
import Testing

@Suite("one program after the other has the name of the Secret Service")
struct TakeoverTests {
    @Test("A provider with --replace takes the name over. What the former one has open ends in order")
    func replaced() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try await fixture.keychain("gated").set(
            "secret one", for: "one", access: .whenUnlocked.requiring(.userPresence))
        try fixture.check("replaced")
        #expect(try fixture.log.contains("another program has taken org.freedesktop.secrets over"))
        await fixture.end()
    }

    @Test(
        "Other programs have the name before and after this one, as they allow",
        arguments: ["given_up", "kept", "taken_away", "terminal"])
    func others(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check)
        await fixture.end()
    }
}
