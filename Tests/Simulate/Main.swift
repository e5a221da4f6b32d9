import Glibc
import Simulation

/// `coffer-simulate SEED RUNS`: runs so many schedules from a seed on, each twice. A failure is shrunk and printed.
@main
struct Simulate {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard numbers.count == 2, CommandLine.arguments.count == 3 else {
            print("usage: coffer-simulate SEED RUNS")
            return
        }
        let (seed, runs) = (numbers[0], numbers[1])
        for number in 0..<runs {
            if let failure = Self.failure(of: seed &+ number) {
                print("SEED=\(seed &+ number) RUNS=1\n\(failure)")
                exit(1)
            }
        }
        print("\(runs) schedules from seed \(seed): all rules held, each gave the same digest twice")
    }

    private static func failure(of seed: UInt64) -> String? {
        let choices = Choices(seed: seed, count: Schedule.count)
        do {
            let first = try Schedule.run(choices)
            return try Schedule.run(choices, isWitnessed: false) == first
                ? nil : "two runs of this seed gave different digests"
        } catch {
            let least = Choices.shrunk(choices.bytes) { bytes in
                do {
                    _ = try Schedule.run(Choices(bytes))
                    return false
                } catch { return true }
            }
            do {
                _ = try Schedule.run(Choices(least))
                return "\(error)"
            } catch { return "choices: \(least)\n\(error)" }
        }
    }
}
