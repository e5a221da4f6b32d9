import BrokerProtocol
import Synchronization
import TestSupport
import Testing

@testable import Broker

/// What a loss of logind locks, and what it does not, with a clock that the test moves.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct LogindLossTests {
    private final class Fixture: Sendable {
        let time = TestClock()
        let log = LogLines()
        private let locks = Mutex(0)

        /// How often all vaults were locked.
        var locked: Int { locks.withLock { $0 } }

        func losses() -> Int { log.all.count { $0.contains("logind is not heard, so") } }

        func watch(_ address: String) throws -> LogindWatch {
            let targets = LockTargets(
                lock: { _ in }, lockAll: { self.locks.withLock { $0 += 1 } }, advanceEpoch: {}, idle: { _, _ in })
            return try LogindWatch(
                address: address, targets: targets, clock: time.clock, logger: log.logger, patience: patience)
        }
    }

    @Test("logind that is back before the minute is over locks nothing, and its next loss is noticed as the first was")
    func back() async throws {
        let fixture = Fixture()
        let mock = try LogindMock()
        let watch = try fixture.watch(mock.address)
        watch.start()
        try await until("logind is heard") { watch.isConnected }
        #expect(watch.holdsSleep && !watch.isInTrouble && watch.uniqueName != nil)
        try mock.stop()
        try await until("the loss is noticed") { fixture.losses() == 1 }
        #expect(!watch.isConnected && !watch.holdsSleep && watch.isInTrouble)
        let again = try LogindMock(folder: mock.folder)
        try await until("logind is heard again") { watch.isConnected }
        #expect(!watch.isInTrouble)
        fixture.time.advance(by: LockLimits.grace)
        #expect(fixture.locked == 0)
        try again.stop()
        try await until("the next loss is noticed") { fixture.losses() == 2 }
        // The timer is set just after the word in the log.
        try await until("all is locked") {
            fixture.time.advance(by: LockLimits.grace)
            return fixture.locked > 0
        }
        #expect(fixture.locked == 1)
        watch.stop()
    }

    @Test("logind that was never heard has locked nothing that its silence could open")
    func never() async throws {
        let fixture = Fixture()
        let folder = try TemporaryFolder()
        let watch = try fixture.watch("unix:path=\(folder.path)/no-bus")
        watch.start()
        try await until("the silence is noticed") { fixture.losses() == 1 }
        // A timer would have been set by now.
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(5))
            fixture.time.advance(by: LockLimits.grace)
        }
        #expect(fixture.locked == 0 && fixture.losses() == 1)
        watch.stop()
        withExtendedLifetime(folder) {}
    }

    @Test("where the machine does not wait for the wipe before it sleeps, the status says so until it does")
    func noInhibitor() async throws {
        let mock = try LogindMock()
        try mock.refuseInhibitors(true)
        let broker = try await throwAwayBroker { $0.systemBus = .address(mock.address) }
        let client = try broker.client()
        try await until("logind is heard") { broker.log.all.contains { $0.contains("logind is heard") } }
        func isWarned() async throws -> Bool {
            try await client.call(Keychain.Status()).warnings.contains { $0.contains("logind gave no inhibitor") }
        }
        #expect(try await isWarned())
        try mock.refuseInhibitors(false)
        try await until("the inhibitor is held") { try await !isWarned() }
        await broker.stop()
    }

    @Test("without logind, the status says that time locks, or that nothing does")
    func switchedOff() async throws {
        for minutes in [0, 7] {
            let broker = try await throwAwayBroker { $0.idleLock = minutes }
            let status = try await broker.client().call(Keychain.Status())
            #expect(status.locks == (minutes == 0 ? [] : ["7 min idle"]))
            #expect(status.lockedBy.idleMinutes == (minutes == 0 ? nil : 7))
            #expect(status.lockedBy.screen == false && status.lockedBy.sleep == false)
            #expect(!status.warnings.contains { $0.contains("logind") })
            await broker.stop()
        }
    }
}
