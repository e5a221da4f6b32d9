import BrokerProtocol
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Broker

/// A group's open vault is looked after each minute, for as long as it is open.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct GroupWatchTests {
    private final class Timers: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    @Test("a member who leaves after some minutes leaves no keys behind either")
    func later() async throws {
        let accounts = try ThrowAwayAccounts(2)
        let (time, timers) = (TestClock(), Timers())
        var options = Broker.Options.patient
        options.clock = BrokerClock(
            now: time.clock.now,
            after: { duration, body in
                time.clock.after(duration, body)
                if duration == LockLimits.groupWatch { timers.add() }
            })
        let broker = try await throwAwayBroker(options: options) { $0.idleLock = 0 }
        for index in 0..<2 { try accounts.join(index) }
        let inGroup = #""group":"\#(accounts.group)""#
        let ada = try await OtherUser(broker, accounts.uids[0])
        let bob = try await OtherUser(broker, accounts.uids[1])
        for user in [ada, bob] { #expect(try await user.pass("Unlock").contains("unlocked")) }
        #expect(try await ada.pass("Unlock", inGroup).contains("unlocked"))
        _ = try await ada.say("Lock")
        // Bob is a member and keeps it open, minute after minute. The first sweeps of the vaults have the same time.
        for _ in 0..<3 {
            let before = timers.count
            time.advance(by: LockLimits.groupWatch + .seconds(1))
            try await until("it is looked after again") { timers.count > before }
            #expect(try await ada.say("Status", inGroup).contains(#""state":"unlocked""#))
        }
        try accounts.leave(1)
        try await until("it is locked") {
            time.advance(by: LockLimits.groupWatch + .seconds(1))
            return try await ada.say("Status", inGroup).contains(#""state":"locked""#)
        }
        await broker.stop()
    }
}
