import Broker
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

/// `Monitor`: what is told, in which order, and what slow or vanished readers cost (attackers 3 and 7).
@Suite(.timeLimit(.minutes(30)))
struct MonitorTests {
    private func set(_ client: WireClient, _ service: String, _ account: String) async throws {
        _ = try await client.call(Keychain.Set(service: service, account: account, value: someValue))
    }

    @Test("every change is told once, in order, when it can be listed; a vault that is made meanwhile counts")
    func order() async throws {
        let broker = try await throwAwayBroker()
        let monitor = try await MonitorClient(broker)
        let client = try broker.client()
        func told(_ kinds: Keychain.Event.Kind...) async throws -> [Keychain.Event] {
            let events = try await monitor.next(kinds.count)
            #expect(events.map(\.event) == kinds)
            return events
        }
        try await broker.makeVault(client)
        #expect(try await told(.unlocked)[0].item == nil)
        try await set(client, "s", "a")
        let added = try await told(.added)[0]
        #expect(added.time > 0)
        #expect(try await client.call(Keychain.List()).items == [try #require(added.item)])
        try await set(client, "s", "a")
        #expect(try await told(.updated)[0].item?.version == 2)
        _ = try await client.call(Keychain.Edit(service: "s", account: "a", label: "l"))
        #expect(try await told(.updated)[0].item?.label == "l")
        _ = try await client.call(Keychain.Rename(service: "s", account: "a", newService: "t", newAccount: "b"))
        let renamed = try await told(.deleted, .added).compactMap(\.item)
        #expect(renamed.map(\.service) == ["s", "t"] && renamed[0].id == renamed[1].id)
        _ = try await client.call(Keychain.Rotate(service: "t", account: "b"))
        #expect(try await told(.updated)[0].item?.version == 3)
        _ = try await client.call(Keychain.Lock())
        _ = try await told(.locked)
        // A locked vault can be changed, and locking it again changes nothing.
        _ = try await client.call(Keychain.Lock())
        _ = try await client.call(Keychain.Delete(service: "t", account: "b"))
        #expect(try await told(.deleted)[0].item?.account == "b")
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        try await broker.makeVault(client)
        _ = try await told(.unlocked)
        // What fails is not told.
        _ = try await fault { try await client.call(Keychain.Delete(service: "t", account: "b")) }
        try await set(client, "last", "a")
        #expect(try await told(.added)[0].item?.service == "last")
        // The call is logged, its replies are not.
        #expect(broker.log.all.filter { $0.contains("Keychain.Monitor") }.count == 1)
        await broker.stop()
    }

    @Test("a monitor of one service hears of its items only, and its half of a rename")
    func service() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let s = try await MonitorClient(broker, Keychain.Monitor(service: "s"))
        let t = try await MonitorClient(broker, Keychain.Monitor(service: "t"))
        try await set(client, "other", "a")
        try await set(client, "s", "a")
        _ = try await client.call(Keychain.Rename(service: "s", account: "a", newService: "t", newAccount: "a"))
        _ = try await client.call(Keychain.Lock())
        #expect(try await s.next(until: .locked).map(\.event) == [.added, .deleted, .locked])
        #expect(try await t.next(until: .locked).map(\.event) == [.added, .locked])
        let refused = try await fault {
            try await MonitorClient(broker, Keychain.Monitor(service: String(repeating: "s", count: 1025)))
        }
        #expect(refused.name == .limitExceeded)
        await broker.stop()
    }

    @Test("after a renewal of all keys the reader looks again, and hears what happens in the new vault")
    func renewal() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "s", "a")
        let monitor = try await MonitorClient(broker)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, isDone) = try await broker.authenticator.rotate(id)
        #expect(isDone)
        await line.close()
        #expect(try await client.call(Keychain.RotateAll(challenge: id)).items == 1)
        #expect(try await monitor.next(3).map(\.event) == [.locked, .missed, .unlocked])
        try await set(client, "s", "b")
        #expect(try await monitor.next(1)[0].item?.account == "b")
        await broker.stop()
    }

    @Test("without “more” it is refused; a call that wants no reply takes no place")
    func more() async throws {
        let broker = try await throwAwayBroker { $0.connectionsPerUser = 4 }
        let client = try broker.client()
        #expect(try await fault { try await client.call(Keychain.Monitor()) }.name == .expectedMore)
        try await client.send(
            Array(#"{"method":"org.coffer.Keychain.Monitor","more":true,"oneway":true}"#.utf8) + [0])
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        // There is one place.
        _ = try await MonitorClient(client)
        await broker.stop()
    }

    /// A comment and attributes that fill a slow reader's room soon.
    private static let attributes = Dictionary(
        uniqueKeysWithValues: (0..<25).map { ("\($0)", String(repeating: "x", count: 4000)) })

    private func setLarge(_ client: WireClient) async throws {
        _ = try await client.call(
            Keychain.Set(service: "s", account: "a", value: someValue, attributes: Self.attributes))
    }

    @Test("a reader that reads nothing holds up nobody, and is told once that it missed something")
    func slow() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let (slow, fast) = (try await MonitorClient(broker), try await MonitorClient(broker))
        let count: Int64 = 30
        for version in 1...count {
            try await setLarge(client)
            #expect(try await fast.next(1).map { $0.item?.version } == [version])
        }
        _ = try await client.call(Keychain.Lock())
        #expect(try await fast.next(1)[0].event == .locked)
        // Only now the slow one reads.
        let events = try await slow.next(until: .locked)
        let parts = events.split(omittingEmptySubsequences: false) { $0.event == .missed }
        try #require(parts.count == 2, "\(events.map(\.event))")
        let (before, after) = (parts[0].compactMap(\.item?.version), parts[1].compactMap(\.item?.version))
        #expect(!before.isEmpty && before == Array(1...Int64(before.count)))
        #expect(after == Array((count - Int64(after.count) + 1)..<(count + 1)) && before.count + after.count < count)
        // From here on it hears everything again.
        try await setLarge(client)
        #expect(try await slow.next(1)[0].item?.version == count + 1)
        await broker.stop()
    }

    @Test("a user has so many monitors, other calls have their connections, and a client that is gone frees its place")
    func places() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        var monitors: [MonitorClient] = []
        for _ in 0..<16 { monitors.append(try await MonitorClient(broker)) }
        let further = try broker.client()
        #expect(try await fault { try await MonitorClient(further) }.name == .limitExceeded)
        // The refusal leaves the connection as it is.
        for client in [client, further] { #expect(try await client.call(Keychain.List()).items.isEmpty) }
        let calls = Array(repeating: Array(#"{"method":"org.coffer.Keychain.List"}"#.utf8) + [0], count: 2000)
        for way in ["closed", "half closed before", "with calls that nobody reads"] {
            let leaving = monitors.removeFirst().line
            if way.contains("half") { await leaving.halfClose() }
            if way.contains("calls") { try await leaving.send(calls.flatMap(\.self)) }
            await leaving.close()
            try await until("the place is free: \(way)") {
                do { monitors.append(try await MonitorClient(broker)) } catch let fault as Fault {
                    #expect(fault.name == .limitExceeded)
                    return false
                }
                return true
            }
        }
        await broker.stop()
    }

    @Test("a monitor is no idle connection, and hears events after it has ended its own direction")
    func idle() async throws {
        var options = Broker.Options.patient
        options.idleTimeLimit = .milliseconds(500)
        let broker = try await throwAwayBroker(options: options)
        let monitor = try await MonitorClient(broker)
        let half = try await MonitorClient(broker)
        await half.line.halfClose()
        for _ in 0..<3 {
            let idle = try broker.client()
            _ = try await idle.call(Keychain.List())
            await #expect(throws: WireClient.Closed.self) { _ = try await idle.message() }
        }
        try await broker.makeVault(broker.client())
        #expect(try await monitor.next(1)[0].event == .unlocked)
        #expect(try await half.next(1)[0].event == .unlocked)
        await broker.stop()
    }

    @Test("a monitor is no use of the vault: it locks in its time, and the monitor hears that")
    func noUse() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(options: options) { $0.idleLock = 1 }
        try await broker.makeVault(broker.client())
        clock.advance(by: .seconds(40))
        let monitor = try await MonitorClient(broker)
        clock.advance(by: .seconds(25))
        #expect(try await monitor.next(1)[0].event == .locked)
        await broker.stop()
    }

    @Test("a broker that stops tells its monitors, and waits for none that reads nothing; the next one goes on")
    func restart() async throws {
        var options = Broker.Options.patient
        options.stopTimeLimit = patience
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        let slow = try await MonitorClient(broker)
        let monitor = try await MonitorClient(broker)
        for _ in 0..<10 {
            try await setLarge(client)
            _ = try await monitor.next(1)
        }
        let start = ContinuousClock.now
        await broker.stop()
        #expect(ContinuousClock.now - start < patience)
        let stopped = try await fault { try await monitor.next() }
        #expect(stopped.name == .failed && stopped.details.kind == "stopping")
        await #expect(throws: WireClient.Closed.self) { _ = try await monitor.line.message() }
        await slow.line.close()
        let next = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let again = try await MonitorClient(next)
        try await set(next.client(), "s", "b")
        #expect(try await again.next(1).map(\.event) == [.added])
        await next.stop()
    }
}
