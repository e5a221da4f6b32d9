import Authorization
import Broker
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

/// Which calls keep a vault open, where nothing but the calls themselves looks at the time.
@Suite(.timeLimit(.minutes(30)))
struct IdleCallTests {
    private let clock = TestClock()
    private static let get = Keychain.Get(service: "s", account: "a")

    /// An unlocked vault that locks after ten minutes without use. No timer fires, as on a machine that has slept.
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        var options = Broker.Options.patient
        options.clock = BrokerClock(now: clock.clock.now) { _, _ in }
        let broker = try await throwAwayBroker(options: options) { $0.idleLock = 10 }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        return (broker, client)
    }

    private func state(_ client: WireClient) async throws -> Keychain.VaultState.State {
        try await client.call(Keychain.Status()).vault.state
    }

    @Test("a read keeps the vault open for as long again, and a look at names and states does not")
    func uses() async throws {
        let (broker, client) = try await prepared()
        for _ in 0..<3 {
            clock.advance(by: .seconds(599))
            #expect(try await client.call(Self.get).value == someValue)
        }
        clock.advance(by: .seconds(599))
        #expect(try await client.call(Keychain.Exists(service: "s", account: "a")).exists)
        #expect(try await state(client) == .unlocked)
        clock.advance(by: .seconds(1))
        // The call that comes after the time finds it locked already.
        #expect(try await fault { try await client.call(Self.get) }.name == .locked)
        #expect(try await state(client) == .locked)
        await broker.stop()
    }

    @Test("an opening counts as a use, and so does one by a login")
    func openings() async throws {
        let (broker, client) = try await prepared()
        let uid = OwnProcess.effectiveUser
        for isLogin in [false, true] {
            _ = try await client.call(Keychain.Lock())
            clock.advance(by: .seconds(3000))
            if isLogin {
                let line = try broker.authenticator.connect()
                let reply = try await line.call(BrokerInterface.Report(uid: Int64(uid)))
                let id = try #require(reply.challenge)
                try await broker.authenticator.sign(
                    id, 0, reply.authorizations[0], owner: .user(uid), line)
                await line.close()
            } else {
                try await broker.makeVault(client)
            }
            clock.advance(by: .seconds(599))
            #expect(try await state(client) == .unlocked)
            clock.advance(by: .seconds(1))
            #expect(try await state(client) == .locked)
        }
        await broker.stop()
    }
}
