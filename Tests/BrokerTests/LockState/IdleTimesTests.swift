import Synchronization
import TestSupport
import Testing

@testable import Broker

/// From when on a vault counts as unused, and how often a timer asks.
@Suite(.timeLimit(.minutes(5)))
struct IdleTimesTests {
    private static let limit = Duration.seconds(15 * 60)

    /// A watch whose locks and timers are counted.
    private final class Fixture: Sendable {
        let time = TestClock()
        private let locks = Mutex<[UInt32]>([])
        private let timers = Mutex<[Duration]>([])

        var locked: [UInt32] { locks.withLock { $0 } }
        var delays: [Duration] { timers.withLock { $0 } }

        /// - Parameter rings: without it, only calls notice that the time is over.
        func watch(rings: Bool = false) -> IdleWatch {
            let clock = BrokerClock(
                now: time.clock.now,
                after: { duration, body in
                    self.timers.withLock { $0.append(duration) }
                    if rings { self.time.clock.after(duration, body) }
                })
            return IdleWatch(limit: { IdleTimesTests.limit }, clock: clock) { uid in
                self.locks.withLock { $0.append(uid) }
            }
        }
    }

    @Test("a vault that was used before the sessions became idle is timed from its last use")
    func before() async {
        let fixture = Fixture()
        let watch = fixture.watch()
        watch.used(1)
        fixture.time.advance(by: .seconds(10 * 60))
        watch.sessions(of: 1, areIdle: true)
        fixture.time.advance(by: .seconds(5 * 60) - .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked.isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked == [1])
    }

    @Test("sessions that are said to be idle again are idle since the first time, also after an earlier unlock")
    func again() async {
        let fixture = Fixture()
        let watch = fixture.watch()
        watch.unlocked(1)
        fixture.time.advance(by: .seconds(60))
        watch.sessions(of: 1, areIdle: true)
        fixture.time.advance(by: .seconds(10 * 60))
        watch.sessions(of: 1, areIdle: true)
        watch.used(1)
        fixture.time.advance(by: .seconds(5 * 60) - .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked.isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked == [1])
    }

    @Test("once a session is active again, each use counts again")
    func active() async {
        let fixture = Fixture()
        let watch = fixture.watch()
        watch.used(1)
        watch.sessions(of: 1, areIdle: true)
        fixture.time.advance(by: .seconds(10 * 60))
        watch.sessions(of: 1, areIdle: false)
        watch.used(1)
        fixture.time.advance(by: Self.limit - .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked.isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        await watch.apply(1)
        #expect(fixture.locked == [1])
    }

    @Test("sessions of a user whose vault was not used yet are noted when they are idle, and no others")
    func unused() async {
        let fixture = Fixture()
        let watch = fixture.watch()
        watch.sessions(of: 1, areIdle: true)
        watch.sessions(of: 2, areIdle: false)
        fixture.time.advance(by: Self.limit)
        for uid in [1, 2, 3] as [UInt32] { await watch.apply(uid) }
        #expect(fixture.locked == [1])
    }

    @Test("one timer is enough for many uses, and it is set again for what is left")
    func timers() {
        let fixture = Fixture()
        let watch = fixture.watch(rings: true)
        for _ in 0..<10 { watch.used(1) }
        watch.unlocked(2)
        #expect(fixture.delays == [Self.limit, Self.limit])
        fixture.time.advance(by: .seconds(10 * 60))
        watch.used(1)
        #expect(fixture.delays.count == 2)
        fixture.time.advance(by: .seconds(5 * 60))
        #expect(fixture.delays == [Self.limit, Self.limit, .seconds(10 * 60)])
    }

    @Test("a vault that programs use while nobody is there is locked anew after a second, and not at once")
    func overdue() async throws {
        let fixture = Fixture()
        let watch = fixture.watch(rings: true)
        watch.unlocked(1)
        watch.sessions(of: 1, areIdle: true)
        fixture.time.advance(by: Self.limit)
        try await until("it is locked") { fixture.locked == [1] }
        watch.used(1)
        #expect(fixture.delays == [Self.limit, .seconds(1)])
        fixture.time.advance(by: .seconds(1))
        try await until("it is locked again") { fixture.locked == [1, 1] }
    }
}
