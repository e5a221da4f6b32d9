import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Broker

/// The broker deletes items some time after they expired.
@Suite(.timeLimit(.minutes(30)))
struct SweepTests {
    @Test("what expired a month ago is deleted, in parts, and logged; what expired lately is not")
    func month() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let (day, month) = (Int64(86_400_000), Int64(30 * 86_400_000))
        var changes = (0..<SweepLimits.atOnce + 3).map {
            Keychain.Change(action: .set, service: "old", account: "\($0)", value: "", expires: now - month - day)
        }
        for (account, expires) in [("lately", now - month + day), ("later", now + day), ("never", 0)] {
            changes.append(
                Keychain.Change(action: .set, service: "s", account: account, value: "", expires: expires))
        }
        _ = try await client.call(Keychain.Apply(changes: changes))
        _ = try await client.call(Keychain.Lock())
        #expect(try await client.call(Keychain.List()).items.count == changes.count)
        clock.advance(by: SweepLimits.delay + .seconds(1))
        try await eventually { try await client.call(Keychain.List()).items.count <= 6 }
        #expect(try await client.call(Keychain.List()).items.count == 6)
        // The rest follows after a pause, in which other calls have had their turn.
        try await eventually {
            clock.advance(by: SweepLimits.pause + .seconds(1))
            return try await client.call(Keychain.List()).items.count == 3
        }
        clock.advance(by: SweepLimits.interval + .seconds(1))
        #expect(try await client.call(Keychain.List()).items.map(\.account) == ["lately", "later", "never"])
        let records = try await client.call(Keychain.Log()).records.filter { $0.event == "delete" }
        #expect(records.count == SweepLimits.atOnce + 3)
        #expect(records.allSatisfy { $0.detail == "expired" && $0.uid == nil && $0.service == "old" })
        await broker.stop()
    }
}

/// Waits until something is true.
private func eventually(_ isTrue: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + patience
    while try await !isTrue() {
        try #require(ContinuousClock.now < limit, "it never happens")
        try await Task.sleep(for: .milliseconds(10))
    }
}
