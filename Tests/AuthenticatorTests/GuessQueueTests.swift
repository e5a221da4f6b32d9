import Platform
import Testing

@testable import Authenticator

/// Whose answer is judged next. Attacker 4 guesses with many processes and conversations; a person has one answer.
struct GuessQueueTests {
    private static let start: Int64 = 1_000_000

    /// - Parameters:
    ///   - program: the number of its process.
    ///   - conversation: the number of the authenticator's process.
    ///   - after: when it came, in milliseconds after the start.
    private func answer(of program: Int32, _ conversation: Int32, after: Int64 = 0) -> GuessQueue.Waiting {
        GuessQueue.Waiting(
            server: SharedPrompt.Server(ProcessIdentity(pid: conversation, startTime: 1)), pid: program, startTime: 1,
            arrival: Self.start + after)
    }

    /// Whether each answer is the next one, when they look one after the other.
    private func areNext(
        _ queue: inout GuessQueue, _ answers: [GuessQueue.Waiting], joining: Bool = true, after: Int64 = 0
    ) -> [Bool] {
        var results: [Bool] = []
        for answer in answers {
            results.append(queue.isNext(answer, joins: joining, at: Self.start + after) { _ in true })
        }
        return results
    }

    /// Has the next answer judged.
    private func judgeNext(_ queue: inout GuessQueue) -> GuessQueue.Waiting? {
        let waiting = queue.waiting
        let results = areNext(&queue, waiting)
        #expect(results.count { $0 } == min(waiting.count, 1))
        guard let index = results.firstIndex(of: true) else { return nil }
        queue.judge(waiting[index], at: Self.start)
        return waiting[index]
    }

    @Test func answersAreJudgedAsTheyCame() {
        let answers = ([1, 2, 3, 4] as [Int32]).map { number in answer(of: number, number, after: -Int64(number)) }
        var queue = GuessQueue(boot: "b")
        _ = areNext(&queue, answers)
        for expected in answers.reversed() { #expect(judgeNext(&queue) == expected) }
        #expect(judgeNext(&queue) == nil)
    }

    /// Four programs have four conversations each, and have guessed before. They were all there first.
    @Test func aPersonsFirstAnswerIsNextHoweverManyOthersGuessOn() {
        var queue = GuessQueue(boot: "b")
        for program: Int32 in 1...4 { queue.judge(answer(of: program, 100), at: Self.start) }
        for number: Int32 in 0..<16 { _ = areNext(&queue, [answer(of: 1 + number % 4, number)]) }
        let person = answer(of: 99, 99, after: 1000)
        #expect(areNext(&queue, [person], after: 1000) == [true])
        #expect(judgeNext(&queue) == person)
    }

    /// Each guess is of a new program. Only those that were there before the person are judged before.
    @Test func newProgramsDoNotOvertakeAPerson() {
        var queue = GuessQueue(boot: "b")
        for number: Int32 in 1...7 { _ = areNext(&queue, [answer(of: number, number)]) }
        let person = answer(of: 99, 99, after: 1)
        _ = areNext(&queue, [person])
        for number: Int32 in 1...7 {
            #expect(judgeNext(&queue)?.pid == number)
            _ = areNext(&queue, [answer(of: 7 + number, 7 + number, after: 2)])
        }
        #expect(judgeNext(&queue) == person)
    }

    @Test func aProgramThatGuessesMoreComesAfterOneThatGuessesLess() {
        var queue = GuessQueue(boot: "b")
        for _ in 0..<2 { queue.judge(answer(of: 1, 1), at: Self.start) }
        queue.judge(answer(of: 2, 2), at: Self.start)
        let (more, less) = (answer(of: 1, 3), answer(of: 2, 4, after: 1))
        #expect(areNext(&queue, [more, less, more]) == [true, true, false])
    }

    @Test func aRightAnswerMakesUpForTheWrongOnes() {
        var queue = GuessQueue(boot: "b")
        for _ in 0..<3 { queue.judge(answer(of: 1, 1), at: Self.start) }
        queue.judge(answer(of: 2, 2), at: Self.start)
        queue.forgive(ProcessIdentity(pid: 1, startTime: 2))
        #expect(queue.guessers.map(\.count) == [3, 1])
        queue.forgive(ProcessIdentity(pid: 1, startTime: 1))
        #expect(queue.guessers.map(\.pid) == [2])
    }

    @Test func guessesAreForgottenAfterTenMinutes() {
        var queue = GuessQueue(boot: "b")
        queue.judge(answer(of: 1, 1), at: Self.start)
        let (first, second) = (answer(of: 1, 2), answer(of: 2, 3, after: 1))
        let memory = AttemptLimits.memory
        #expect(areNext(&queue, [second, first], after: memory - 1) == [true, false])
        let before = Self.start + memory - 1
        #expect(queue.hasOthers(than: second, at: before) && !queue.hasOthers(than: first, at: before))
        #expect(areNext(&queue, [second, first], after: memory) == [false, true])
        #expect(!queue.hasOthers(than: second, at: Self.start + memory))
        queue.judge(second, at: Self.start + memory)
        #expect(queue.guessers.map(\.pid) == [2])
    }

    @Test func whatHasEndedHoldsUpNobody() {
        let (first, second, own) = (answer(of: 1, 1), answer(of: 2, 2), answer(of: 3, 3, after: 1))
        var queue = GuessQueue(boot: "b")
        _ = areNext(&queue, [first, second])
        let isNext = queue.isNext(own, joins: false, at: Self.start) { $0 == second.server }
        #expect(!isNext && queue.waiting == [second])
        let isNextNow = queue.isNext(own, joins: true, at: Self.start) { _ in false }
        #expect(isNextNow && queue.waiting == [own])
    }

    @Test func whoDoesNotWaitLeavesNothing() {
        var queue = GuessQueue(boot: "b")
        let answer = answer(of: 1, 1)
        #expect(areNext(&queue, [answer], joining: false) == [true])
        #expect(queue == GuessQueue(boot: "b"))
        #expect(areNext(&queue, [answer]) == [true])
        #expect(queue.waiting == [answer])
        queue.leave(answer)
        #expect(queue == GuessQueue(boot: "b"))
    }

    @Test func soManyProgramsAreToldApart() {
        var queue = GuessQueue(boot: "b")
        let most = Int32(AttemptLimits.programs)
        for program in 1...most + 5 { queue.judge(answer(of: program, 1), at: Self.start) }
        #expect(queue.guessers.map(\.pid) == Array(6...most + 5))
    }

    @Test(arguments: [Int64.min, -1, .max], [Int.min, -1, .max])
    func aFileMaySayAnything(last: Int64, count: Int) {
        var queue = GuessQueue(boot: "b")
        queue.guessers = [.init(pid: 1, startTime: 1, count: count, last: last)]
        let answer = answer(of: 1, 1)
        #expect(areNext(&queue, [answer]) == [true])
        queue.judge(answer, at: Self.start)
        #expect((1...1001).contains(queue.guessers[0].count))
    }

    @Test func theDelayIsToldOnceAndANewOneAgain() {
        var news = WaitingNews()
        let now = ContinuousClock.now
        #expect(
            news.text(isNext: false, delay: .zero, at: now)
                == "Another answer is being checked; this one waits for its turn.")
        #expect(news.text(isNext: true, delay: .zero, at: now) == nil)
        #expect(
            news.text(isNext: true, delay: .milliseconds(3500), at: now)
                == "There were failed tries. Your answer is checked in 4 s.")
        #expect(news.text(isNext: true, delay: .milliseconds(2600), at: now + .seconds(1)) == nil)
        #expect(
            news.text(isNext: false, delay: .seconds(30), at: now + .seconds(4))
                == "There were failed tries. The next answer is checked in 30 s. Others are checked before yours.")
        #expect(news.text(isNext: false, delay: .seconds(29), at: now + .seconds(5)) == nil)
    }
}
