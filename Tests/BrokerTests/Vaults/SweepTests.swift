import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink
import Vault

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

    @Test("the bin is swept when its time has passed, in parts, and logged; what was deleted lately stays")
    func bin() async throws {
        let first = try await throwAwayBroker()
        var client = try first.client()
        try await first.makeVault(client)
        let old = (0..<SweepLimits.atOnce + 3).map { "\($0)" }
        let changes = (old + ["lately", "live"]).map {
            Keychain.Change(action: .set, service: "s", account: $0, value: "")
        }
        _ = try await client.call(Keychain.Apply(changes: changes))
        _ = try await client.call(Keychain.Delete(service: "s", account: "lately", bin: true))
        await first.stop()
        // The vault as it was 31 days ago.
        let folder = first.configuration.vaultDirectory
        let owner = Owner.user(OwnProcess.effectiveUser)
        let vault = try OpenVault(
            directory: folder, record: try #require(try first.authenticator.registry.record(for: owner)),
            sealer: SoftwareSealer(directory: folder), now: { SystemClock.now() - 31 * 86_400_000 })
        for account in old { try vault.putAside(service: "s", account: account) }
        try vault.close()

        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(folder: first.folder, options: options)
        client = try broker.client()
        #expect(try await client.call(Keychain.List()).items.map(\.account) == ["live"])
        // No call gives them out, but they are still in the file.
        #expect(try await client.call(Keychain.List(deleted: true)).items.map(\.account) == ["lately"])
        let swept = { try await client.call(Keychain.Log()).records.filter { $0.detail == "out of the bin" } }
        #expect(try await swept().isEmpty)
        clock.advance(by: SweepLimits.delay + .seconds(1))
        try await eventually { try await swept().count >= SweepLimits.atOnce }
        #expect(try await swept().count == SweepLimits.atOnce)
        try await eventually {
            clock.advance(by: SweepLimits.pause + .seconds(1))
            return try await swept().count > SweepLimits.atOnce
        }
        clock.advance(by: SweepLimits.interval + .seconds(1))
        #expect(try await client.call(Keychain.List(deleted: true)).items.map(\.account) == ["lately"])
        let records = try await swept()
        #expect(Set(records.compactMap(\.account)) == Set(old) && records.count == old.count)
        #expect(records.allSatisfy { $0.event == "delete" && $0.uid == nil })
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
