import Authorization
import Broker
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// A login elsewhere while the owner's screen is locked, before a mocked logind (attackers 3 and 4).
@Suite(.serialized, .timeLimit(.minutes(30)))
struct LockedScreenTests {
    private static let me = OwnProcess.effectiveUser

    private struct Fixture {
        let mock: LogindMock
        let broker: ThrowAwayBroker
        let client: WireClient
        let line: WireClient

        init(type: String = "wayland", bus: Bool = true) async throws {
            let mock = try LogindMock()
            try mock.add(session: "c1", uid: me)
            try mock.setType(type, session: "c1")
            broker = try await throwAwayBroker(options: Broker.Options.patient) {
                $0.systemBus = .address(bus ? mock.address : "unix:path=\($0.vaultDirectory)/no-bus")
            }
            self.mock = mock
            client = try broker.client()
            line = try broker.authenticator.connect()
            try await broker.makeVault(client)
            _ = try await client.call(Keychain.Lock())
        }

        /// Returns when the broker has processed everything that was said on the bus before.
        func awaitReport(_ name: String) async throws {
            try mock.announce(session: name)
            try await until("\(name) is heard") { [broker] in broker.log.all.contains { $0.contains(name) } }
        }

        func report(screen: Bool) async throws -> BrokerInterface.Report.Reply {
            try await line.call(BrokerInterface.Report(uid: Int64(me), unlocksScreens: screen))
        }

        /// Lets the login open the vault, as the authenticator does.
        func open(screen: Bool) async throws {
            let reply = try await report(screen: screen)
            try await broker.authenticator.sign(
                try #require(reply.challenge), 0, reply.authorizations[0], owner: .user(me), line)
        }

        /// Makes an item that a finger opens, also while the vault is locked.
        func makeFingerItem() async throws {
            let access = Keychain.AccessChange(accessibility: .afterFirstUnlock, require: [.biometryAny])
            var set = Keychain.Set(service: "s", account: "a", value: someValue, access: access)
            let id = try await challenge { try await client.call(set) }
            try await broker.authenticator.enrol(id, set: nil)
            set.challenge = id
            _ = try await client.call(set)
        }

        /// What the authenticator hears of a read of that item.
        func describeRead(_ line: WireClient) async throws -> BrokerInterface.Describe.Reply {
            let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
            return try await line.call(TestAuthenticator.describe(id, uid: me, TestAuthenticator.thisProcess()))
        }

        var state: Keychain.VaultState.State {
            get async throws { try await client.call(Keychain.Status()).vault.state }
        }
    }

    @Test("while a screen is locked only a program that unlocks screens opens the vault")
    func locked() async throws {
        let fixture = try await Fixture()
        try fixture.mock.setLockedHint(true, session: "c1")
        try await fixture.awaitReport("sentinel1")
        let refusal = try await fault { try await fixture.report(screen: false) }
        #expect(refusal.name == .brokerNotPermitted && refusal.details.message?.contains("locked") ?? false)
        #expect(try await fixture.state == .locked)
        try await fixture.open(screen: true)
        #expect(try await fixture.state == .unlocked)

        // The screen is unlocked again, so logins elsewhere count again.
        try fixture.mock.setLockedHint(false, session: "c1")
        try await fixture.awaitReport("sentinel2")
        _ = try await fixture.client.call(Keychain.Lock())
        try await fixture.open(screen: false)
        #expect(try await fixture.state == .unlocked)
        await fixture.broker.stop()
    }

    @Test("logind's Unlock, which any program of the user may have asked for, opens no way in")
    func forged() async throws {
        let fixture = try await Fixture()
        try fixture.mock.lock(session: "c1")
        try fixture.mock.unlock(session: "c1")
        try await fixture.awaitReport("sentinel1")
        let refusal = try await fault { try await fixture.report(screen: false) }
        #expect(refusal.name == .brokerNotPermitted)
        await fixture.broker.stop()
    }

    @Test("a screen that locks meanwhile takes the login's challenge away")
    func meanwhile() async throws {
        let fixture = try await Fixture()
        let reply = try await fixture.report(screen: false)
        let id = try #require(reply.challenge)
        try fixture.mock.setLockedHint(true, session: "c1")
        try await fixture.awaitReport("sentinel1")
        let refusal = try await fault {
            try await fixture.line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        }
        #expect(refusal.name == .brokerChallengeRefused)
        #expect(try await fixture.state == .locked)
        await fixture.broker.stop()
    }

    @Test("a session that was locked before the broker began counts, and ends with the session")
    func before() async throws {
        let mock = try LogindMock()
        try mock.add(session: "c1", uid: Self.me)
        try mock.setType("x11", session: "c1")
        try mock.setLockedHint(true, session: "c1")
        // Made without a bus: a vault that exists when the broker starts.
        let first = try await throwAwayBroker(options: Broker.Options.patient)
        try await first.makeVault(try first.client())
        await first.stop()
        let broker = try await throwAwayBroker(
            folder: first.folder, authenticator: first.authenticator, options: Broker.Options.patient
        ) { $0.systemBus = .address(mock.address) }
        // At once, because the login may have started the broker.
        let line = try broker.authenticator.connect()
        let refusal = try await fault { try await line.call(BrokerInterface.Report(uid: Int64(Self.me))) }
        #expect(refusal.name == .brokerNotPermitted && refusal.details.message?.contains("is locked") ?? false)
        try mock.remove(session: "c1")
        try await until("its end is heard") { broker.log.all.contains { $0.contains("sessionRemoved") } }
        try await until("a login opens") {
            // Refused until the end was noticed.
            (try? await line.call(BrokerInterface.Report(uid: Int64(Self.me))))?.challenge != nil
        }
        await broker.stop()
    }

    @Test("a lock ends the question for a finger, and none is asked for until the owner has opened the vault again")
    func fingers() async throws {
        let fixture = try await Fixture()
        try await fixture.open(screen: true)
        try await fixture.makeFingerItem()
        let asking = try fixture.broker.authenticator.connect()
        #expect(try await fixture.describeRead(asking).screenLocked == false)
        try fixture.mock.lock(session: "c1")
        try await fixture.awaitReport("sentinel1")
        await #expect(throws: WireClient.Closed.self) { _ = try await asking.message() }
        #expect(try await fixture.state == .locked)
        let refused = try fixture.broker.authenticator.connect()
        #expect(try await fixture.describeRead(refused).screenLocked == true)
        // This session never sets its hint.
        try await fixture.open(screen: true)
        let back = try fixture.broker.authenticator.connect()
        #expect(try await fixture.describeRead(back).screenLocked == false)
        await fixture.broker.stop()
    }

    @Test("where logind should be heard and is not, the broker does not say that no screen is locked")
    func unheardFingers() async throws {
        let fixture = try await Fixture(bus: false)
        try await fixture.open(screen: true)
        try await fixture.makeFingerItem()
        let line = try fixture.broker.authenticator.connect()
        #expect(try await fixture.describeRead(line).screenLocked == nil)
        await fixture.broker.stop()
    }

    @Test("a terminal's session is no screen")
    func terminal() async throws {
        let fixture = try await Fixture(type: "tty")
        try fixture.mock.lock(session: "c1")
        try await fixture.awaitReport("sentinel1")
        try await fixture.open(screen: false)
        #expect(try await fixture.state == .unlocked)
        await fixture.broker.stop()
    }

    @Test("where logind should be heard and is not, only a program that unlocks screens opens the vault")
    func unheard() async throws {
        let fixture = try await Fixture(bus: false)
        let refusal = try await fault { try await fixture.report(screen: false) }
        #expect(refusal.name == .brokerNotPermitted && refusal.details.message?.contains("logind") ?? false)
        try await fixture.open(screen: true)
        #expect(try await fixture.state == .unlocked)
        await fixture.broker.stop()
    }
}
