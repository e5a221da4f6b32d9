import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker

/// What is known of locked screens, from the start of the broker on.
@Suite(.timeLimit(.minutes(5)))
struct LockedScreensTests {
    /// Screens that have said nothing yet, and how many calls wait for them.
    private final class Fixture: Sendable {
        let time = TestClock()
        private let timers = Mutex(0)

        var waiting: Int { timers.withLock { $0 } }

        func screens() -> LockedScreens {
            LockedScreens(
                clock: BrokerClock(
                    now: time.clock.now,
                    after: { duration, body in
                        self.time.clock.after(duration, body)
                        self.timers.withLock { $0 += 1 }
                    }))
        }
    }

    @Test("a login waits for logind's first word, and for a second at most")
    func silent() async throws {
        let fixture = Fixture()
        let screens = fixture.screens()
        let isAnswered = ConnectionFlag()
        let asking = Task {
            let answer = await screens.answer(for: 1)
            isAnswered.set(true)
            return answer
        }
        try await until("it waits") { fixture.waiting == 1 }
        fixture.time.advance(by: LockLimits.firstLook - .milliseconds(1))
        for _ in 0..<100 { await Task.yield() }
        #expect(!isAnswered.isUp)
        fixture.time.advance(by: .milliseconds(1))
        #expect(await asking.value == .unknown)
    }

    @Test("all who wait are answered by the first word, and by no timer that comes later")
    func first() async throws {
        let fixture = Fixture()
        let screens = fixture.screens()
        let asking = ([1, 2] as [UInt32]).map { uid in Task { await screens.answer(for: uid) } }
        try await until("they wait") { fixture.waiting == 2 }
        screens.set([1])
        #expect(await asking[0].value == .locked)
        #expect(await asking[1].value == .open)
        fixture.time.advance(by: LockLimits.firstLook)
        #expect(await screens.answer(for: 1) == .locked)
    }

    @Test("after the first word nobody waits, even if logind is lost")
    func later() async {
        let fixture = Fixture()
        let screens = fixture.screens()
        screens.set([])
        #expect(await screens.answer(for: 1) == .open)
        screens.set([1, 2])
        #expect(await screens.answer(for: 2) == .locked)
        #expect(await screens.answer(for: 3) == .open)
        screens.set(nil)
        #expect(await screens.answer(for: 1) == .unknown)
        #expect(fixture.waiting == 0)
    }

    @Test("a login is refused for a locked screen and for an unknown one, each with its reason")
    func precondition() {
        func refusal(_ answer: LockedScreens.Answer) -> Fault? {
            do throws(Fault) {
                try LockedScreenPrecondition.check(answer)
                return nil
            } catch { return error }
        }
        #expect(refusal(.open) == nil)
        #expect(refusal(.locked)?.details.message == "a graphical session of this user is locked")
        #expect(refusal(.unknown)?.details.message?.hasPrefix("logind cannot be asked") == true)
    }
}
