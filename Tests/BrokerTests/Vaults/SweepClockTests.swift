import Cryptography
import TestSupport
import Testing
import Vault

@testable import Broker

/// A clock that is far ahead for a while deletes nothing for good.
@Suite(.timeLimit(.minutes(10)))
struct SweepClockTests {
    private let day: UInt64 = 86_400_000

    private func believes(
        _ clock: inout SweepClock, _ days: UInt64, after hours: Int, of start: ContinuousClock.Instant,
        trace: UInt64 = 0
    ) throws -> Bool {
        try clock.believes(days * day, at: start + .seconds(hours * 3600)) { () throws(VaultError) in trace * day }
    }

    @Test("a clock is believed up to 60 days after all that is known, and then for as long as it goes on")
    func trace() throws {
        let start = ContinuousClock.now
        var clock = SweepClock()
        #expect(clock.limit(at: start) == 0)
        #expect(try believes(&clock, 160, after: 0, of: start, trace: 100))
        #expect(clock.limit(at: start + .seconds(86_400)) == 221 * day)
        // 60 days and what has passed since.
        #expect(try !believes(&clock, 222, after: 24, of: start))
        #expect(try believes(&clock, 221, after: 24, of: start))
        // One that goes back deletes less, and is the measure from then on.
        #expect(try believes(&clock, 100, after: 48, of: start))
        #expect(try !believes(&clock, 221, after: 48, of: start))
        var other = SweepClock()
        #expect(try !believes(&other, 161, after: 0, of: start, trace: 100))
    }

    @Test("a clock far ahead is believed once it has gone on from there for a day")
    func proof() throws {
        let start = ContinuousClock.now
        var clock = SweepClock()
        #expect(try !believes(&clock, 26_000, after: 0, of: start, trace: 100))
        #expect(try !believes(&clock, 26_000, after: 23, of: start, trace: 100))
        // Another leap begins the day anew.
        #expect(try !believes(&clock, 30_000, after: 24, of: start, trace: 100))
        #expect(try !believes(&clock, 30_001, after: 47, of: start, trace: 100))
        #expect(try believes(&clock, 30_001, after: 48, of: start, trace: 100))
        // And then a leap of a minute is as suspicious as ever.
        #expect(try !believes(&clock, 40_000, after: 72, of: start))
        #expect(try believes(&clock, 30_002, after: 72, of: start))
    }

    /// The bin, items that expire and former values are all deleted for good by the clock.
    @Test("nothing is swept while the clock is years ahead, and after three months all that is due goes a day later")
    func sweep() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            for value in ["one", "two"] {
                try state.vault.set(
                    ItemDraft(service: "s", account: "kept", value: try SecretBytes(copying: Array(value.utf8))))
            }
            _ = try fixture.read("binned", state)
            try state.vault.putAside(service: "s", account: "binned")
            let item = try fixture.read("expiring", state)
            try state.vault.edit(item, changes: MetadataChanges(expires: SystemClock.now() + 20 * day))
        }
        #expect(try await counts(vaultActor) == [3, 1])
        fixture.wall.set(72 * 365)
        await ExpirySweep.run(in: vaultActor)
        // A change of one item drops no former value of another one either.
        try await vaultActor.use { state in _ = try fixture.read("new", state) }
        #expect(try await counts(vaultActor) == [4, 1])
        // The clock is right again, and nothing is due.
        fixture.wall.set(0)
        await ExpirySweep.run(in: vaultActor)
        #expect(try await counts(vaultActor) == [4, 1])
        fixture.wall.set(120)
        await ExpirySweep.run(in: vaultActor)
        #expect(try await counts(vaultActor) == [4, 1])
        fixture.time.advance(by: SweepLimits.proof)
        await ExpirySweep.run(in: vaultActor)
        #expect(try await counts(vaultActor) == [2, 0])
    }

    @Test("times after a gap of more than 60 days are believed once they span a day")
    func gaps() {
        func trace(_ days: UInt64...) -> UInt64 { SweepClock.trace(of: days.map { $0 * day }, since: 100 * day) / day }
        #expect(trace() == 100 && trace(99) == 100)
        #expect(trace(220, 160) == 220)
        #expect(trace(160, 221) == 160)
        #expect(trace(26_000, 160, 26_000) == 160)
        #expect(trace(26_001, 26_000, 160) == 26_001)
        // Two leaps are two gaps, and neither has lasted.
        #expect(trace(160, 26_000, 30_000) == 160)
        #expect(trace(160, 26_000, 30_000, 30_001) == 30_001)
        let short = SweepClock.trace(of: [26_000 * day, 26_001 * day - 1], since: 100 * day)
        #expect(short == 100 * day)
    }

    @Test("a restart while the clock is years ahead proves nothing, and after a day what is due goes")
    func restart() async throws {
        let fixture = try VaultFixture()
        var vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            for value in ["one", "two"] {
                try state.vault.set(
                    ItemDraft(service: "s", account: "kept", value: try SecretBytes(copying: Array(value.utf8))))
            }
            _ = try fixture.read("binned", state)
            try state.vault.putAside(service: "s", account: "binned")
            let item = try fixture.read("expiring", state)
            try state.vault.edit(item, changes: MetadataChanges(expires: SystemClock.now() + 20 * day))
        }
        // The second run has the first one's times, which do not span a day. The third has those of both.
        for (ahead, left) in [(0, [4, 1]), (1, [5, 1]), (2, [4, 0])] as [(UInt64, [Int])] {
            fixture.wall.set(72 * 365 + ahead)
            if ahead > 0 {
                vaultActor = VaultActor(owner: .user(1), dependencies: fixture.dependencies)
                _ = try await vaultActor.opened()
            }
            await ExpirySweep.run(in: vaultActor)
            try await vaultActor.use { state in
                let value = try SecretBytes(copying: Array("value".utf8))
                try state.vault.set(ItemDraft(service: "s", account: "new \(ahead)", value: value))
            }
            #expect(try await counts(vaultActor) == left, "\(ahead)")
            await vaultActor.close()
        }
    }

    @Test("a clock that leaps after it was believed sweeps nothing")
    func leap() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        try await vaultActor.use { state in
            _ = try fixture.read("binned", state)
            try state.vault.putAside(service: "s", account: "binned")
            let item = try fixture.read("expiring", state)
            try state.vault.edit(item, changes: MetadataChanges(expires: SystemClock.now() + day))
        }
        await ExpirySweep.run(in: vaultActor)
        for (ahead, count) in [(72 * 365, 0), (50, 1)] as [(UInt64, Int)] {
            fixture.wall.set(ahead)
            let swept = try await vaultActor.use { state in
                let binned = try state.vault.sweepBin(limit: SweepLimits.atOnce).count
                let expired = try state.vault.sweep(
                    expiredBy: fixture.wall.now() - SweepLimits.age, limit: SweepLimits.atOnce
                ).count
                return [binned, expired]
            }
            #expect(swept == [count, count], "\(ahead)")
        }
    }

    /// How many items there are, also in the bin, and how many former values.
    private func counts(_ vaultActor: VaultActor) async throws -> [Int] {
        try await vaultActor.use { state in
            let report = try state.vault.verify()
            return [report.items, report.formerValues]
        }
    }
}
