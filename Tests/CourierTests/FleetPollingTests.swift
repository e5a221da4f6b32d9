import Courier
import TestSupport
import Testing

/// 500 servers that look into one bucket, each by its own plan. The time is the test's, and the store is played: what it
/// serves in a second is limited, and it refuses the rest as a busy server does.
@Suite struct FleetPollingTests {
    typealias Plan = CarryingPlan

    private static let servers = 500
    private static let start = ContinuousClock.now

    private struct Outcome {
        /// How many looks each second had, refused ones too.
        var looks: [Int]
        /// After how many seconds each server had the new secret.
        var delays: [Int] = []
    }

    /// - Parameters:
    ///   - rotation: the second in which a new secret is given out.
    ///   - capacity: looks that the store serves in a second.
    ///   - isAway: whether the store serves nothing in this second.
    private func run(
        seconds: Int, rotation: Int, capacity: Int, isAway: (Int) -> Bool = { _ in false }
    ) -> Outcome {
        var random = SplitMix64(seed: 7)
        func at(_ second: Int) -> Plan.Instant { Self.start + .seconds(second) }
        func spread() -> Double { Double.random(in: 0..<1, using: &random) }
        var plans = (0..<Self.servers).map { _ in Plan(at: at(0)) }
        // All begin at once, as after a power cut.
        for index in plans.indices { plans[index].listening(at: at(0)) }
        var has = [Bool](repeating: false, count: Self.servers)
        var outcome = Outcome(looks: [])
        for second in 0..<seconds {
            var served = 0
            var looks = 0
            for index in plans.indices where plans[index].next(at: at(second)) == .carry {
                looks += 1
                if isAway(second) || served >= capacity {
                    plans[index].ended(
                        .failed, after: .milliseconds(200), at: at(second), spread: spread(), isRemote: true)
                    continue
                }
                served += 1
                plans[index].ended(
                    .carried, after: .milliseconds(200), at: at(second), spread: spread(), isRemote: true)
                if second >= rotation, !has[index] {
                    has[index] = true
                    outcome.delays.append(second - rotation)
                }
            }
            outcome.looks.append(looks)
        }
        return outcome
    }

    @Test func aNewSecretReachesAllWithinTheRegularTime() {
        let outcome = run(seconds: 3600, rotation: 2400, capacity: 50)
        #expect(outcome.delays.count == Self.servers)
        // 300 seconds, give or take half of that, and one look that was refused.
        #expect((outcome.delays.max() ?? 0) <= 460, "\(outcome.delays.max() ?? 0)")
        let middle = outcome.delays.sorted()[Self.servers / 2]
        #expect((100...250).contains(middle), "\(middle)")
    }

    /// They begin together, and do not stay together.
    @Test func nobodyLooksWithTheOthersForLong() {
        let outcome = run(seconds: 3600, rotation: 0, capacity: .max)
        #expect(outcome.looks[0] == Self.servers)
        // 500 servers each 300 seconds are 1.7 in a second.
        #expect((outcome.looks[1200...].max() ?? 0) <= 12, "\(outcome.looks[1200...].max() ?? 0)")
        #expect((outcome.looks[300..<1200].max() ?? 0) <= 25, "\(outcome.looks[300..<1200].max() ?? 0)")
    }

    /// A small server, on which all begin at once, is not asked again and again by those that it refused.
    @Test func aBusyStoreServesAllInTheEnd() {
        let outcome = run(seconds: 1800, rotation: 0, capacity: 5)
        #expect(outcome.delays.count == Self.servers)
        // 100 seconds are the least that it takes.
        #expect((outcome.delays.max() ?? 0) <= 600, "\(outcome.delays.max() ?? 0)")
        #expect(outcome.looks.reduce(0, +) <= 12 * Self.servers, "\(outcome.looks.reduce(0, +))")
    }

    /// A store that comes back after half an hour is not fallen upon.
    @Test func aStoreThatComesBackIsNotFallenUpon() {
        let outcome = run(seconds: 6000, rotation: 1800, capacity: 20) { (1800..<3600).contains($0) }
        #expect(outcome.delays.count == Self.servers)
        #expect((outcome.looks[3600...].max() ?? 0) <= 20, "\(outcome.looks[3600...].max() ?? 0)")
        // While it is away, each asks less and less often: at most each 450 seconds in the end.
        #expect(
            outcome.looks[2700..<3600].reduce(0, +) <= 3 * Self.servers, "\(outcome.looks[2700..<3600].reduce(0, +))")
        #expect((outcome.delays.max() ?? 0) <= 1800 + 1350 + 30, "\(outcome.delays.max() ?? 0)")
    }
}
