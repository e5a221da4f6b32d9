import Foundation
import Platform
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import Broker

/// The order of events, seen at the moment of the lock.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct LogindWatchTests {
    /// What was locked, and how many inhibitors there were at that time.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func targets(_ mock: LogindMock) -> LockTargets {
            LockTargets(
                lock: { uid in self.lines.withLock { $0.append("lock \(uid)") } },
                lockAll: {
                    // An error of the question is a line that no test expects.
                    let held = (try? mock.inhibitors()) ?? "no answer"
                    self.lines.withLock { $0.append("all, held: \(!held.hasPrefix("a(ssssuu) 0"))") }
                },
                advanceEpoch: { self.lines.withLock { $0.append("advance") } },
                idle: { uid, isIdle in self.lines.withLock { $0.append("idle \(uid) \(isIdle)") } })
        }
    }

    private func watch(_ mock: LogindMock, _ record: Record) async throws -> LogindWatch {
        let watch = try LogindWatch(
            address: mock.address, targets: record.targets(mock), clock: TestClock().clock, logger: LogLines().logger,
            patience: patience)
        watch.start()
        try await until("logind is heard") { watch.isConnected }
        return watch
    }

    @Test("the machine may sleep only after the wipe, and is held again after it woke up")
    func sleep() async throws {
        let mock = try LogindMock()
        let record = Record()
        let watch = try await watch(mock, record)
        #expect(watch.holdsSleep)
        for _ in 0..<2 {
            try mock.prepareForSleep(true)
            try await until("the inhibitor is released") { try mock.inhibitors().hasPrefix("a(ssssuu) 0") }
            #expect(!watch.holdsSleep)
            try mock.prepareForSleep(false)
            try await until("the inhibitor is taken again") { watch.holdsSleep }
            #expect(try mock.inhibitors().contains(#""sleep" "Coffer""#))
        }
        #expect(record.all == ["all, held: true", "advance", "all, held: true", "advance"])
        watch.stop()
        try await until("the inhibitor goes with the broker") { try mock.inhibitors().hasPrefix("a(ssssuu) 0") }
    }

    @Test("an inhibitor that is refused at first, as while polkit is being started, is asked for again")
    func refusedInhibitor() async throws {
        let mock = try LogindMock()
        try mock.refuseInhibitors(true)
        let record = Record()
        let watch = try await watch(mock, record)
        #expect(!watch.holdsSleep)
        try mock.refuseInhibitors(false)
        try await until("the inhibitor is held") { watch.holdsSleep }
        // The same after a sleep.
        try mock.refuseInhibitors(true)
        try mock.prepareForSleep(true)
        try await until("the inhibitor is released") { !watch.holdsSleep }
        try mock.prepareForSleep(false)
        try mock.setIdleHint(true, session: try added(mock))
        try await until("what came after is heard") { record.all.contains("idle 4001 true") }
        #expect(!watch.holdsSleep)
        try mock.refuseInhibitors(false)
        try await until("the inhibitor is held again") { watch.holdsSleep }
        #expect(record.all.filter { !$0.hasPrefix("idle") } == ["all, held: true", "advance"])
        watch.stop()
    }

    private func added(_ mock: LogindMock) throws -> String {
        try mock.add(session: "c1", uid: 4001)
        try mock.announce(session: "c1")
        return "c1"
    }

    @Test("a broker that comes as the machine goes to sleep locks, and does not hold it")
    func comesAtSleep() async throws {
        let mock = try LogindMock()
        try mock.setPreparingForSleep(true)
        let record = Record()
        let watch = try await watch(mock, record)
        #expect(record.all == ["all, held: true", "advance"])
        #expect(!watch.holdsSleep)
        #expect(try mock.inhibitors().hasPrefix("a(ssssuu) 0"))
        try mock.prepareForSleep(false)
        try await until("the inhibitor is taken") { watch.holdsSleep }
        watch.stop()
    }

    @Test("sessions that are locked when the broker comes lock their owners' vaults, others do not")
    func foundLocked() async throws {
        let mock = try LogindMock()
        try mock.add(session: "c1", uid: 4001)
        try mock.add(session: "c2", uid: 4002)
        try mock.setLockedHint(true, session: "c1")
        let record = Record()
        let watch = try await watch(mock, record)
        #expect(record.all.filter { $0.hasPrefix("lock") } == ["lock 4001"])
        watch.stop()
    }

    @Test("any of a user's sessions locks; idle is who is idle in all of them")
    func several() async throws {
        let mock = try LogindMock()
        try mock.add(session: "c1", uid: 4001)
        try mock.add(session: "c2", uid: 4001)
        let record = Record()
        let watch = try await watch(mock, record)
        record.lines.withLock { $0 = [] }
        try mock.setIdleHint(true, session: "c1")
        try mock.setIdleHint(true, session: "c2")
        try mock.setIdleHint(false, session: "c1")
        try mock.lock(session: "c2")
        try await until("all is heard") { record.all.contains("lock 4001") }
        #expect(record.all == ["idle 4001 false", "idle 4001 true", "idle 4001 false", "lock 4001"])
        watch.stop()
    }
}
