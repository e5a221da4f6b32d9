import Testing

@testable import Broker

@Suite("How often a vault's counter may be moved")
struct StepBudgetTests {
    private let start = ContinuousClock.now

    @Test func soManyAreFreeAndThenOneAtATime() {
        var budget = StepBudget(at: start)
        for _ in 0..<StepBudget.most {
            #expect(budget.wait(at: start) == .zero)
            budget.spend(at: start)
        }
        #expect(budget.wait(at: start) == StepBudget.pace)
        #expect(budget.wait(at: start + .seconds(5)) == StepBudget.pace - .seconds(5))
        #expect(budget.wait(at: start + StepBudget.pace) == .zero)
        budget.spend(at: start + StepBudget.pace)
        #expect(budget.wait(at: start + StepBudget.pace) == StepBudget.pace)
        // All are free again after as much time as all cost.
        #expect(budget.wait(at: start + StepBudget.pace * 100) == .zero)
        for _ in 0..<StepBudget.most { budget.spend(at: start + StepBudget.pace * 100) }
        #expect(budget.wait(at: start + StepBudget.pace * 100) == StepBudget.pace)
    }

    @Test func whatCouldNotWaitIsPaidForByTheNext() {
        var budget = StepBudget(at: start)
        for _ in 0..<1000 { budget.spend(at: start) }
        #expect(budget.wait(at: start) == StepBudget.pace * 2)
    }

    @Test func aClockThatStandsStillGivesNothing() {
        var budget = StepBudget(at: start)
        for _ in 0..<StepBudget.most { budget.spend(at: start) }
        #expect(budget.wait(at: start - .seconds(100)) == StepBudget.pace)
        #expect(budget.wait(at: start) == StepBudget.pace)
    }
}
