import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import Broker

/// Lock state on a private bus with a mocked logind: every row of the table in `docs/lock-state.md`, and the signals of
/// malware.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct LogindTests {
    private static let me = OwnProcess.effectiveUser
    private static let other = me + 1000

    /// A broker that listens to a mocked logind.
    private final class Fixture {
        let mock: LogindMock
        let time = TestClock()
        var broker: ThrowAwayBroker
        var client: WireClient
        private var sentinels = 0

        init() async throws {
            mock = try LogindMock()
            try mock.add(session: "c1", uid: me)
            (broker, client) = try await Self.start(mock, time, nil)
            try await broker.makeVault(client)
        }

        private static func start(_ mock: LogindMock, _ time: TestClock, _ earlier: ThrowAwayBroker?) async throws -> (
            ThrowAwayBroker, WireClient
        ) {
            var options = Broker.Options.patient
            options.clock = time.clock
            let broker = try await throwAwayBroker(
                folder: earlier?.folder, authenticator: earlier?.authenticator, options: options
            ) { $0.systemBus = .address(mock.address) }
            try await until("logind is heard") { broker.log.all.contains { $0.contains("logind is heard") } }
            return (broker, try broker.client())
        }

        /// The broker ends and another one starts. The vault is sealed.
        func restart() async throws {
            await broker.stop()
            (broker, client) = try await Self.start(mock, time, broker)
        }

        var state: String { get async throws { try await client.call(Keychain.Status()).vault.state.rawValue } }

        func reach(_ wanted: String) async throws {
            switch wanted {
            case "unlocked": _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
            case "locked":
                try await reach("unlocked")
                _ = try await client.call(Keychain.Lock())
            default: break
            }
            #expect(try await state == wanted)
        }

        /// Returns when the broker has processed everything that was said on the bus before.
        func awaitReport() async throws {
            sentinels += 1
            let name = "sentinel\(sentinels)"
            try mock.announce(session: name)
            try await until("\(name) is heard") { broker.log.all.contains { $0.contains(name) } }
        }

        /// The broker's own name on the bus, as anybody there can find it.
        func brokersName() throws -> String {
            let list = try Tool.output("busctl", ["--address=\(mock.address)", "--no-legend", "list"])
            let line = list.split(separator: "\n").first {
                $0.hasPrefix(":") && $0.split(separator: " ").dropFirst().first == "\(getpid())"
            }
            return try String(#require(line?.split(separator: " ").first))
        }
    }

    private static let path = LogindMock.path(of: "c1")

    /// Each of the signals that change a vault or claim to, from a process that is not logind.
    private static func forge(_ fixture: Fixture, to connection: String?) throws {
        let signals: [(String, String, [String])] = [
            (path, Login1.session, ["Lock"]), (path, Login1.session, ["Unlock"]),
            (Login1.path, Login1.manager, ["PrepareForSleep", "b", "true"]),
            (
                path, Login1.properties,
                ["PropertiesChanged", "sa{sv}as", Login1.session, "1", "LockedHint", "b", "true", "0"]
            ),
        ]
        for (path, interface, signal) in signals {
            if let connection {
                try fixture.mock.forge(to: connection, path: path, interface: interface, signal)
            } else {
                try fixture.mock.forge(path: path, interface: interface, signal)
            }
        }
    }

    /// How to cause each row's event.
    private static var events: [String: (Fixture) async throws -> Void] {
        [
            "a session of the owner: `Lock`": { try $0.mock.lock(session: "c1") },
            "a session of the owner: `LockedHint` becomes true": {
                try $0.mock.setLockedHint(true, session: "c1")
            },
            "a session of the owner: `Unlock`": { try $0.mock.unlock(session: "c1") },
            "a session of the owner: `LockedHint` becomes false": {
                try $0.mock.setLockedHint(false, session: "c1")
            },
            "a session of the owner ends, another is left": {
                try await begin("c2", me, $0)
                try $0.mock.remove(session: "c2")
            },
            "the owner's last session ends": {
                try $0.mock.remove(session: "c1")
                try await begin("c1", me, $0)
            },
            "a session of another user: `Lock`": {
                try await begin("x1", other, $0)
                try $0.mock.lock(session: "x1")
                try $0.mock.remove(session: "x1")
            },
            "the last session of another user ends": {
                try await begin("x2", other, $0)
                try $0.mock.remove(session: "x2")
            },
            "`PrepareForSleep` true": { try $0.mock.prepareForSleep(true) },
            "`PrepareForSleep` false": { try $0.mock.prepareForSleep(false) },
            "`Lock`, `PrepareForSleep`, `Unlock` from a foreign sender, to everybody": { try forge($0, to: nil) },
            "`Lock`, `PrepareForSleep`, `Unlock` from a foreign sender, to the broker": {
                try forge($0, to: $0.brokersName())
            },
            "no use for `idle-lock` minutes": { fixture in
                fixture.time.advance(by: .seconds(15 * 60))
                // The timer's lock is a task of its own. The next call would also lock before it answered.
                _ = try await fixture.client.call(Keychain.Status())
            },
            "`coffer lock`": { _ = try await $0.client.call(Keychain.Lock()) },
        ]
    }

    private static func begin(_ session: String, _ uid: UInt32, _ fixture: Fixture) async throws {
        try fixture.mock.add(session: session, uid: uid)
        try fixture.mock.announce(session: session)
        try await fixture.awaitReport()
    }

    /// The rows of the document: the event, then the effect on a sealed, an unlocked and a locked vault.
    private static func rows() throws -> [(event: String, becomes: [String])] {
        try SourceTree.text("docs/lock-state.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("|"), cells.count == 4, !["event", "---"].contains(cells[0]) else { return nil }
            return (cells[0], Array(cells[1...]))
        }
    }

    @Test("the table in the documents is what happens, row by row")
    func everyRow() async throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.event)) == Set(Self.events.keys) && rows.count == Self.events.count)
        let fixture = try await Fixture()
        for row in rows {
            let event = try #require(Self.events[row.event], "no event for “\(row.event)”")
            for (from, becomes) in zip(["unlocked", "locked"], row.becomes.dropFirst()) {
                try await fixture.reach(from)
                try await event(fixture)
                try await fixture.awaitReport()
                #expect(try await fixture.state == becomes, "\(from): \(row.event)")
            }
        }
        try await fixture.restart()
        for row in rows {
            #expect(try await fixture.state == "sealed")
            try await Self.events[row.event]?(fixture)
            try await fixture.awaitReport()
            #expect(try await fixture.state == row.becomes[0], "sealed: \(row.event)")
        }
        await fixture.broker.stop()
    }

    @Test("unlock signals of logind's own leave a vault locked that its lock has locked")
    func unlockNeverUnlocks() async throws {
        let fixture = try await Fixture()
        try fixture.mock.setLockedHint(true, session: "c1")
        try await fixture.awaitReport()
        #expect(try await fixture.state == "locked")
        try fixture.mock.unlock(session: "c1")
        try fixture.mock.setLockedHint(false, session: "c1")
        try await fixture.awaitReport()
        #expect(try await fixture.state == "locked")
        await fixture.broker.stop()
    }

    @Test("a foreign sender's signals are not believed, whatever way they come")
    func foreignSender() async throws {
        let fixture = try await Fixture()
        try await fixture.reach("unlocked")
        try Self.forge(fixture, to: nil)
        try Self.forge(fixture, to: fixture.brokersName())
        try await fixture.awaitReport()
        #expect(try await fixture.state == "unlocked")
        await fixture.broker.stop()
    }

    @Test("status says what locks")
    func status() async throws {
        let fixture = try await Fixture()
        let status = try await fixture.client.call(Keychain.Status())
        #expect(status.locks == ["screen", "sleep", "15 min idle"])
        #expect(!status.warnings.contains { $0.contains("logind") })
        await fixture.broker.stop()
    }

    @Test("where there is no bus the broker works, says so, and logs it once")
    func noBus() async throws {
        let broker = try await throwAwayBroker {
            $0.systemBus = .address("unix:path=\($0.vaultDirectory)/no-bus")
            $0.idleLock = 0
        }
        try await until("the missing bus is noticed") { broker.log.all.contains { $0.contains("logind is not heard") } }
        let client = try broker.client()
        try await broker.makeVault(client)
        let status = try await client.call(Keychain.Status())
        #expect(status.vault.state == .unlocked)
        // “Never” does not mean for ever if nobody would send “lock”.
        #expect(status.locks == ["15 min idle"] && status.warnings.contains { $0.contains("logind") })
        #expect(broker.log.all.count { $0.contains("logind is not heard") } == 1)
        await broker.stop()
    }

    @Test("where there is no bus, time locks what was to lock with the screen only")
    func silent() async throws {
        let time = TestClock()
        var options = Broker.Options()
        options.clock = time.clock
        let broker = try await throwAwayBroker(options: options) {
            $0.systemBus = .address("unix:path=\($0.vaultDirectory)/no-bus")
            $0.idleLock = 0
        }
        try await until("the missing bus is noticed") { broker.log.all.contains { $0.contains("logind is not heard") } }
        let client = try broker.client()
        try await broker.makeVault(client)
        time.advance(by: .seconds(14 * 60))
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        time.advance(by: .seconds(60))
        #expect(try await client.call(Keychain.Status()).vault.state == .locked)
        await broker.stop()
    }

    @Test("logind gone: all vaults lock after a minute; back again: it is heard")
    func lostAndFound() async throws {
        let fixture = try await Fixture()
        try await fixture.reach("unlocked")
        try fixture.mock.stop()
        try await until("the loss is noticed") {
            fixture.broker.log.all.contains { $0.contains("logind is not heard") }
        }
        #expect(try await fixture.state == "unlocked")
        fixture.time.advance(by: LockLimits.grace)
        try await until("it is locked") { try await fixture.state == "locked" }

        let again = try LogindMock(folder: fixture.mock.folder)
        try again.add(session: "c1", uid: Self.me)
        try await until("logind is heard again") {
            fixture.broker.log.all.count { $0.contains("logind is heard") } == 2
        }
        try await fixture.reach("unlocked")
        try again.announce(session: "c1")
        try again.lock(session: "c1")
        try await until("it is locked") { try await fixture.state == "locked" }
        await fixture.broker.stop()
    }
}

/// Waits for another thread.
func until(_ what: String, _ condition: () async throws -> Bool) async throws {
    struct TooLate: Error { let what: String }
    let deadline = ContinuousClock.now + patience
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else { throw TooLate(what: what) }
        try await Task.sleep(for: .milliseconds(5))
    }
}
