import Synchronization
import Testing

@testable import Broker

struct HeapTrimTests {
    @Test("long lists that follow each other give their memory back in one step, and short ones in none")
    func together() async throws {
        let steps = Mutex(0)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let trim = HeapTrim {
            steps.withLock { $0 += 1 }
            end.yield()
        }
        trim.listSent(TrimLimits.list - 1)
        for _ in 0..<10 { trim.listSent(TrimLimits.list) }
        var all = ended.makeAsyncIterator()
        await all.next()
        #expect(steps.withLock { $0 } == 1)
        trim.listSent(TrimLimits.list)
        await all.next()
        #expect(steps.withLock { $0 } == 2)
    }
}
