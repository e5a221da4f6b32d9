import Synchronization
import TestSupport
import Testing

@testable import Broker

/// Idle time, with a clock that the test moves.
@Suite(.timeLimit(.minutes(30)))
struct IdleWatchTests {
    private final class Locked: Sendable {
        let count = Mutex(0)
        var times: Int { count.withLock { $0 } }
    }

    /// - Parameter timers: without them, only calls notice that the time is over.
    private func watch(_ time: TestClock, _ locked: Locked, minutes: Int? = 15, timers: Bool = true) -> IdleWatch {
        let clock = timers ? time.clock : BrokerClock(now: time.clock.now, after: { _, _ in })
        return IdleWatch(limit: { minutes.map { .seconds($0 * 60) } }, clock: clock) { _ in
            locked.count.withLock { $0 += 1 }
        }
    }

    @Test("a use puts the lock off, and the timer alone locks")
    func use() async throws {
        let (time, locked) = (TestClock(), Locked())
        let watch = watch(time, locked)
        watch.unlocked(1)
        time.advance(by: .seconds(14 * 60))
        watch.used(1)
        time.advance(by: .seconds(14 * 60))
        await watch.apply(1)
        #expect(locked.times == 0)
        time.advance(by: .seconds(60))
        try await until("the timer locks") { locked.times == 1 }
    }

    @Test("a call that comes after the time locks before it is let in, timer or not")
    func asleep() async {
        let (time, locked) = (TestClock(), Locked())
        let watch = watch(time, locked, minutes: 1, timers: false)
        watch.unlocked(1)
        time.advance(by: .seconds(60))
        await watch.apply(1)
        #expect(locked.times == 1)
    }

    @Test("while all sessions are idle a program's calls put nothing off; an unlock does")
    func polling() async {
        let (time, locked) = (TestClock(), Locked())
        let watch = watch(time, locked, timers: false)
        watch.unlocked(1)
        watch.sessions(of: 1, areIdle: true)
        for minute in 1...15 {
            time.advance(by: .seconds(60))
            await watch.apply(1)
            #expect(locked.times == (minute < 15 ? 0 : 1))
            watch.used(1)
        }
        watch.unlocked(1)
        time.advance(by: .seconds(14 * 60))
        await watch.apply(1)
        #expect(locked.times == 1)
    }

    @Test("never is never")
    func never() async {
        let (time, locked) = (TestClock(), Locked())
        let watch = watch(time, locked, minutes: nil)
        watch.unlocked(1)
        time.advance(by: .seconds(1_000_000))
        await watch.apply(1)
        #expect(locked.times == 0)
    }
}
