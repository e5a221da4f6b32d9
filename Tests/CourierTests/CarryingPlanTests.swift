import Courier
import Testing

/// When a program that carries by itself does what. The time is the test's.
@Suite struct CarryingPlanTests {
    typealias Plan = CarryingPlan

    private static let start = ContinuousClock.now
    private static let spreads = [0, 0.5, 0.999]

    private func at(_ seconds: Double) -> Plan.Instant { Self.start + .seconds(seconds) }

    /// A plan that listens and has carried once, at 0 seconds.
    private func settled(spread: Double = 0.5) -> Plan {
        var plan = Plan(at: at(0))
        plan.listening(at: at(0))
        plan.ended(.carried, after: .zero, at: at(0), spread: spread)
        return plan
    }

    /// Until when a plan waits, in seconds.
    private func pause(_ plan: Plan, at seconds: Double) throws -> Double {
        guard case .wait(let until) = plan.next(at: at(seconds)) else {
            Issue.record("it does not wait, but: \(plan.next(at: at(seconds)))")
            return 0
        }
        return Self.rounded((until - Self.start) / .seconds(1))
    }

    /// To milliseconds.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

    @Test func itListensBeforeItCarries() {
        var plan = Plan(at: at(0))
        #expect(plan.next(at: at(0)) == .listen)
        plan.listening(at: at(0))
        #expect(plan.next(at: at(0)) == .carry)
        plan.ended(.carried, after: .zero, at: at(0), spread: 0.5)
        #expect(plan.next(at: at(1)) != .carry)
    }

    @Test func withoutAnythingItCarriesEveryFiveMinutesGiveOrTakeHalf() throws {
        for (spread, seconds) in [(0, 150), (0.5, 300), (0.999, 449.7)] {
            #expect(try abs(pause(settled(spread: spread), at: 1) - seconds) < 0.01)
            #expect(settled(spread: spread).next(at: at(seconds + 0.01)) == .carry)
        }
    }

    @Test(arguments: [Plan.Notice.folder, .items, .setting, .unlocked])
    func whatHappensIsCarriedSoonAndTogether(_ notice: Plan.Notice) throws {
        var plan = settled()
        plan.noticed(notice, at: at(10))
        #expect(try abs(pause(plan, at: 10) - 10.3) < 0.01)
        // Another notice does not put it off.
        plan.noticed(.folder, at: at(10.2))
        #expect(plan.next(at: at(10.31)) == .carry)
        plan.ended(.carried, after: .milliseconds(10), at: at(10.31), spread: 0.5)
        #expect(try pause(plan, at: 10.4) > 300)
    }

    @Test func afterASleepNetworksGetAMoment() throws {
        var plan = settled()
        plan.noticed(.woken, at: at(1000))
        // The regular time is long over.
        #expect(plan.next(at: at(1000)) == .carry)
        plan = settled()
        plan.noticed(.woken, at: at(10))
        #expect(try abs(pause(plan, at: 10) - 12) < 0.01)
        // A broker that was missing is tried at once, too.
        plan.notListening(isThere: false, at: at(20), spread: 0.5)
        for second in 21...26 { plan.notListening(isThere: false, at: at(Double(second)), spread: 0.999) }
        #expect(try pause(plan, at: 27) > 40)
        plan.noticed(.woken, at: at(27))
        #expect(plan.next(at: at(29.01)) == .listen)
    }

    /// Somebody writes to the folder all the time.
    @Test func aBusyFolderKeepsNoProcessorBusy() throws {
        for (length, rest) in [(0.0, 0.3), (1.0, 4.0), (100.0, 60.0)] {
            var plan = settled()
            plan.noticed(.folder, at: at(10))
            plan.ended(.carried, after: .seconds(length), at: at(20), spread: 0.5)
            plan.noticed(.folder, at: at(20))
            #expect(try abs(pause(plan, at: 20) - 20 - max(rest, 0.3)) < 0.01)
        }
    }

    /// A folder that is gone, or read-only: it is tried later and later, and what happens in it changes nothing.
    /// Many machines ask one server. It can also say when it wants to be asked again.
    @Test(arguments: spreads) func aServerThatFailsIsLeftAloneForLonger(_ spread: Double) throws {
        var plan = settled()
        var (now, last) = (10.0, 0.0)
        for _ in 0..<14 {
            plan.ended(.failed, after: .milliseconds(1), at: at(now), spread: spread, isRemote: true)
            plan.noticed(.items, at: at(now))
            let next = try pause(plan, at: now)
            #expect(next - now >= last - 0.01)
            (last, now) = (next - now, next)
        }
        #expect(abs(last - 900 * (0.5 + spread)) < 0.01)
        plan.ended(.carried, after: .zero, at: at(now), spread: spread)
        plan.ended(.failed, after: .zero, at: at(now), spread: spread, isRemote: true, wanted: .seconds(1000))
        plan.noticed(.items, at: at(now))
        let wanted = try pause(plan, at: now) - now
        #expect(abs(wanted - 1000 * (1 + spread / 2)) < 0.01)
    }

    @Test(arguments: spreads) func whatFailsIsTriedLaterAndLater(_ spread: Double) throws {
        var plan = settled()
        var now = 10.0
        var pauses: [Double] = []
        for _ in 0..<12 {
            plan.noticed(.folder, at: at(now))
            plan.ended(.failed, after: .milliseconds(1), at: at(now), spread: spread)
            plan.noticed(.folder, at: at(now))
            plan.noticed(.items, at: at(now))
            let next = try pause(plan, at: now)
            pauses.append(Self.rounded(next - now))
            now = next
            #expect(plan.next(at: at(now + 0.001)) == .carry)
        }
        #expect(pauses == pauses.sorted() && pauses[0] >= 1 && abs(pauses[11] - 60 * (0.5 + spread)) < 0.01)
        // What a person does makes it try at once.
        for notice in [Plan.Notice.unlocked, .setting] {
            var mended = plan
            mended.noticed(notice, at: at(now))
            #expect(mended.next(at: at(now + 0.301)) == .carry)
        }
        // One that goes well begins the row anew.
        plan.ended(.carried, after: .zero, at: at(now), spread: spread)
        plan.ended(.failed, after: .zero, at: at(now), spread: spread)
        #expect(try abs(pause(plan, at: now) - now - pauses[0]) < 0.01)
    }

    /// A locked vault is no failure, and what happens does not make it try: each try would be in vain.
    @Test func aLockedVaultWaitsForItsPerson() throws {
        var plan = settled()
        plan.noticed(.folder, at: at(9))
        plan.noticed(.locked, at: at(9))
        plan.ended(.locked, after: .zero, at: at(10), spread: 0.5)
        for notice in [Plan.Notice.folder, .items] { plan.noticed(notice, at: at(11)) }
        #expect(try abs(pause(plan, at: 11) - 310) < 0.01)
        plan.noticed(.unlocked, at: at(20))
        #expect(plan.next(at: at(20.31)) == .carry)
        // It was locked when this began, and nothing told so.
        plan = settled()
        plan.ended(.locked, after: .zero, at: at(10), spread: 0.5)
        plan.noticed(.folder, at: at(11))
        #expect(try pause(plan, at: 11) > 300)
        // Another broker may have it open.
        plan.listening(at: at(12))
        #expect(plan.next(at: at(12)) == .carry)
    }

    @Test(arguments: spreads) func aBrokerThatIsNotThereIsTriedLaterAndLaterAndNothingElseIs(_ spread: Double) throws {
        var plan = Plan(at: at(0))
        var now = 0.0
        var pauses: [Double] = []
        for _ in 0..<10 {
            #expect(plan.next(at: at(now)) == .listen)
            plan.notListening(isThere: false, at: at(now), spread: spread)
            for notice in [Plan.Notice.folder, .items] { plan.noticed(notice, at: at(now)) }
            let next = try pause(plan, at: now)
            pauses.append(Self.rounded(next - now))
            now = next + 0.001
        }
        #expect(pauses == pauses.sorted() && pauses[0] >= 1 && abs(pauses[9] - 60 * (0.5 + spread)) < 0.01)
        plan.listening(at: at(now))
        #expect(plan.next(at: at(now)) == .carry)
        // It goes in the midst of an exchange.
        plan.ended(.unheard, after: .zero, at: at(now), spread: spread)
        #expect(try abs(pause(plan, at: now) - now - pauses[0]) < 0.01)
    }

    /// A user can have too many monitors. Changes travel all the same, and it asks again at the regular time.
    @Test func withoutNoticesTheTimeAloneMakesItCarry() throws {
        var plan = Plan(at: at(0))
        plan.notListening(isThere: true, at: at(0), spread: 0.5)
        #expect(plan.next(at: at(0)) == .carry)
        plan.ended(.carried, after: .zero, at: at(0), spread: 0)
        #expect(try pause(plan, at: 1) == 150)
        plan.noticed(.folder, at: at(2))
        #expect(plan.next(at: at(2.31)) == .carry)
        plan.ended(.carried, after: .zero, at: at(3), spread: 0.999)
        #expect(try pause(plan, at: 4) == 300)
        #expect(plan.next(at: at(300)) == .listen)
    }

    /// No order of happenings makes it act again without a rest.
    @Test func nothingMakesItSpin() throws {
        let outcomes: [Plan.Outcome] = [.carried, .locked, .failed, .unheard]
        for seed in 0..<100 {
            var random = SeededRandom(state: UInt64(seed))
            var plan = Plan(at: at(0))
            var (now, acts) = (0.0, 0)
            while now < 60 {
                switch plan.next(at: at(now)) {
                case .listen:
                    acts += 1
                    if random.next() % 3 == 0 {
                        plan.listening(at: at(now))
                    } else {
                        plan.notListening(isThere: random.next() % 2 == 0, at: at(now), spread: random.share)
                    }
                case .carry:
                    acts += 1
                    plan.ended(
                        outcomes[Int(random.next() % 4)], after: .milliseconds(1), at: at(now), spread: random.share)
                case .wait(let until):
                    #expect(until > at(now))
                    // Files arrive all the time.
                    plan.noticed(random.next() % 8 == 0 ? .locked : .folder, at: at(now))
                    if random.next() % 8 == 0 { plan.noticed(.items, at: at(now)) }
                    now += 0.01
                }
                #expect(acts < 300)
                if acts >= 300 { return }
            }
        }
    }

    private struct SeededRandom {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        var share: Double { mutating get { Double(next() % 1000) / 1000 } }
    }
}
