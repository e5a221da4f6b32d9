import Testing

@testable import Broker

@Suite("How often a vault's counter may be moved")
struct StepBudgetTests {
    private let start = ContinuousClock.now

    @Test func soManyAreFreeAndThenOneAtATime() {
        var budget = StepBudget(at: start)
        for _ in 0..<CounterLimits.steps {
            #expect(budget.wait(at: start) == .zero)
            budget.spend(at: start)
        }
        #expect(budget.wait(at: start) == CounterLimits.pace)
        #expect(budget.wait(at: start + .seconds(5)) == CounterLimits.pace - .seconds(5))
        #expect(budget.wait(at: start + CounterLimits.pace) == .zero)
        budget.spend(at: start + CounterLimits.pace)
        #expect(budget.wait(at: start + CounterLimits.pace) == CounterLimits.pace)
        // All are free again after as much time as all cost.
        #expect(budget.wait(at: start + CounterLimits.pace * 100) == .zero)
        for _ in 0..<CounterLimits.steps { budget.spend(at: start + CounterLimits.pace * 100) }
        #expect(budget.wait(at: start + CounterLimits.pace * 100) == CounterLimits.pace)
    }

    @Test func whatCouldNotWaitIsPaidForByTheNext() {
        var budget = StepBudget(at: start)
        for _ in 0..<1000 { budget.spend(at: start) }
        #expect(budget.wait(at: start) == CounterLimits.pace * 2)
    }

    @Test func aClockThatStandsStillGivesNothing() {
        var budget = StepBudget(at: start)
        for _ in 0..<CounterLimits.steps { budget.spend(at: start) }
        #expect(budget.wait(at: start - .seconds(100)) == CounterLimits.pace)
        #expect(budget.wait(at: start) == CounterLimits.pace)
    }
}
