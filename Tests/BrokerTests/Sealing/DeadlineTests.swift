import Dispatch
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Broker

/// Times at the TPM: each action at its own, and nothing that comes too late for its caller.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private final class Calls: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test("each action runs at its time, once, and not if it was removed before")
    func inTime() {
        let (time, calls) = (TestClock(), Calls())
        let deadlines = Deadlines(clock: time.clock)
        _ = deadlines.add(after: .seconds(10)) { calls.add("late") }
        _ = deadlines.add(after: .seconds(5)) { calls.add("early") }
        let removed = deadlines.add(after: .seconds(5)) { calls.add("removed") }
        let other = deadlines.add(after: .seconds(20)) { calls.add("removed later") }
        #expect(removed != other)
        deadlines.remove(removed)
        time.advance(by: .milliseconds(4999))
        #expect(calls.all == [])
        time.advance(by: .milliseconds(1))
        #expect(calls.all == ["early"])
        time.advance(by: .milliseconds(4999))
        #expect(calls.all == ["early"])
        time.advance(by: .milliseconds(1))
        #expect(calls.all == ["early", "late"])
        deadlines.remove(other)
        time.advance(by: .seconds(100))
        #expect(calls.all == ["early", "late"])
    }

    @Test("a timer is set for the first time that comes, and for the next one after that")
    func timers() {
        let (time, calls) = (TestClock(), Calls())
        let clock = BrokerClock(
            now: time.clock.now,
            after: { duration, body in
                calls.add("\(duration.components.seconds)")
                time.clock.after(duration, body)
            })
        let deadlines = Deadlines(clock: clock)
        for seconds in [10, 10, 20, 5, 7] { _ = deadlines.add(after: .seconds(seconds)) {} }
        #expect(calls.all == ["10", "5"])
        time.advance(by: .seconds(5))
        #expect(calls.all == ["10", "5", "2"])
        time.advance(by: .seconds(2))
        #expect(calls.all == ["10", "5", "2", "3"])
    }

    @Test("a result that comes too late for its caller is undone, and one that comes in time is not")
    func undone() async throws {
        let (thread, calls) = (SealerThread(patience: .milliseconds(50)), Calls())
        let gate = DispatchSemaphore(value: 0)
        let error = await #expect(throws: SealerError.self) {
            _ = try await thread.run { () throws(SealerError) -> Int in
                _ = gate.wait(timeout: .now() + 600)
                return 7
            } undo: { value in
                calls.add("undone \(value)")
            }
        }
        #expect(error?.code == .deadline)
        #expect(calls.all == [])
        gate.signal()
        let value = try await thread.run(within: patience) { () throws(SealerError) -> Int in
            8
        } undo: { value in
            calls.add("undone \(value)")
        }
        // The turn before has ended by now, with all that belongs to it.
        #expect(value == 8 && calls.all == ["undone 7"])
        await #expect(throws: SealerError.self) {
            _ = try await thread.run(within: patience) { () throws(SealerError) -> Int in
                throw SealerError(.other, "it fails")
            } undo: { value in
                calls.add("undone \(value)")
            }
        }
        #expect(calls.all == ["undone 7"])
    }

    @Test("a use whose caller has stopped waiting for its turn is left out")
    func leftOut() async throws {
        let (thread, calls) = (SealerThread(patience: .milliseconds(50)), Calls())
        let (gate, hasBegun) = (DispatchSemaphore(value: 0), ConnectionFlag())
        let first = Task {
            try await thread.run(within: patience) { () throws(SealerError) in
                hasBegun.set(true)
                _ = gate.wait(timeout: .now() + 600)
            }
        }
        try await until("the first has its turn") { hasBegun.isUp }
        let error = await #expect(throws: SealerError.self) {
            try await thread.run { () throws(SealerError) in calls.add("too late") }
        }
        #expect(error?.code == .deadline && thread.waitingCount == 1)
        gate.signal()
        try await first.value
        try await thread.run(within: patience) { () throws(SealerError) in calls.add("next") }
        #expect(calls.all == ["next"] && thread.waitingCount == 0)
    }
}
