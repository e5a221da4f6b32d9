import Simulation
import Testing

/// Schedules of the simulation, few enough for each run of the tests. `make simulate` runs many more.
struct SimulationTests {
    @Test func theRulesHoldInEverySchedule() throws {
        for seed in UInt64(1)...60 {
            let choices = Choices(seed: seed, count: Schedule.count)
            let digest = try Schedule.run(choices)
            guard seed.isMultiple(of: 10) else { continue }
            #expect(try Schedule.run(choices) == digest)
        }
    }

    @Test func aFailureShrinksToItsCause() {
        let shrunk = Choices.shrunk(Choices(seed: 4, count: 200).bytes) { $0.filter { $0 > 100 }.count >= 3 }
        #expect(shrunk == [101, 101, 101])
    }
}
