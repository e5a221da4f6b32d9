import Synchronization
import Testing

@testable import SecretService

@Suite("one task after the other")
@MainActor
struct TurnTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let state = Mutex<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    @Test("Turns come in the order of the tasks, and a task that is cancelled while it waits goes away alone")
    func cancelled() async throws {
        let (turn, log) = (Turn(), Log())
        let (released, release) = AsyncStream<Void>.makeStream()
        var tasks: [Task<Int?, any Error>] = []
        for number in 0..<4 {
            tasks.append(
                Task {
                    log.add("\(number) comes")
                    return try await turn.run { () async throws(ServiceError) -> Int in
                        log.add("\(number) begins")
                        if number == 0 { for await _ in released { break } }
                        log.add("\(number) ends")
                        return number
                    }
                })
            // It does not wait between its coming and its place in the order.
            while !log.lines.contains("\(number) comes") { await Task.yield() }
        }
        tasks[2].cancel()
        #expect(try await tasks[2].value == nil)
        release.yield()
        var results: [Int?] = []
        for task in tasks { results.append(try await task.value) }
        #expect(results == [0, 1, nil, 3])
        let order = log.lines.filter { !$0.hasSuffix("comes") }
        #expect(order == ["0 begins", "0 ends", "1 begins", "1 ends", "3 begins", "3 ends"])
    }

    @Test("A task that was cancelled before has no turn, and takes none from others")
    func before() async throws {
        let turn = Turn()
        let task = Task { () async throws -> Int? in
            while !Task.isCancelled { await Task.yield() }
            return try await turn.run { () async throws(ServiceError) -> Int in 1 }
        }
        task.cancel()
        #expect(try await task.value == nil)
        for number in 0..<3 {
            let result = try await turn.run { () async throws(ServiceError) -> Int in number }
            #expect(result == number)
        }
    }

    @Test("A turn that fails passes to the next task")
    func failing() async throws {
        let turn = Turn()
        await #expect(throws: ServiceError.sessionGone) {
            try await turn.run { () async throws(ServiceError) -> Int in throw .sessionGone }
        }
        let result = try await turn.run { () async throws(ServiceError) -> Int in 1 }
        #expect(result == 1)
    }
}
