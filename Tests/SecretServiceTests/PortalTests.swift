import Coffer
import Foundation
import Testing

@Suite("the secret portal, for applications in a sandbox")
struct PortalTests {
    @Test(
        "Each application has a secret, and nobody else gets it",
        arguments: ["applications", "outsiders", "wrong_calls", "descriptors", "locked", "locked_elsewhere"])
    func holds(_ check: String) async throws {
        let fixture = try await ServiceFixture()
        try fixture.check(check, in: "portal.py")
        await fixture.end()
    }

    @Test("A request that waits for a person holds up nobody, and ends when the application closes it")
    func closed() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try fixture.check("closed", in: "portal.py")
        await fixture.end()
    }

    @Test("A request ends with its front end, and has a path of its own front end only")
    func nextFrontEnd() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try fixture.check("next_front_end", in: "portal.py")
        await fixture.end()
    }

    @Test("A person who gives up is told of no failure")
    func givenUp() async throws {
        let fixture = try await ServiceFixture(answer: nil)
        try fixture.check("given_up", in: "portal.py")
        #expect(try !fixture.log.contains("got nothing"))
        await fixture.end()
    }

    @Test("A secret that was there before the provider is given out by its first answer")
    func stored() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.keychain("before").set(
            "stored before", for: "me", attributes: ["app_id": "org.example.Before"])
        try fixture.check("stored", in: "portal.py")
        await fixture.end()
    }

    @Test("If nobody can be asked, the journal says why")
    func nobodyToAsk() async throws {
        let fixture = try await ServiceFixture(asks: false)
        try fixture.check("nobody_to_ask", in: "portal.py")
        #expect(try fixture.log.contains("coffer unlock"))
        await fixture.end()
    }

    @Test("xdg-desktop-portal finds the backend by its file, and hands secrets on")
    func realFrontEnd() async throws {
        let fixture = try await ServiceFixture()
        try fixture.check("real_front_end", in: "portal.py")
        await fixture.end()
    }

    @Test("coffer list shows an application's secret by its name")
    func listed() async throws {
        let fixture = try await ServiceFixture()
        try fixture.check("locked", in: "portal.py")
        let keychain = fixture.keychain("org.freedesktop.portal.Secret")
        #expect(try await keychain.accounts().sorted() == ["org.example.New", "org.example.One"])
        await fixture.end()
    }
}
