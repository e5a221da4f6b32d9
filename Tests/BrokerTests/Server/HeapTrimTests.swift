import Synchronization
import Testing

@testable import Broker

struct HeapTrimTests {
    @Test("long answers that follow each other give their memory back in one step, and short ones in none")
    func together() async throws {
        let steps = Mutex(0)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let trim = HeapTrim {
            steps.withLock { $0 += 1 }
            end.yield()
        }
        trim.answered(TrimLimits.long - 1)
        for _ in 0..<10 { trim.answered(TrimLimits.long) }
        var all = ended.makeAsyncIterator()
        await all.next()
        #expect(steps.withLock { $0 } == 1)
        trim.answered(TrimLimits.long)
        await all.next()
        #expect(steps.withLock { $0 } == 2)
    }
}
