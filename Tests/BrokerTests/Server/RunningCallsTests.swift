import BrokerProtocol
import NIOPosix
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// A stop and the calls that run, the threads of users, and what refused clients are told.
@Suite(.timeLimit(.minutes(5)))
struct RunningCallsTests {
    /// Returns when a stop has begun.
    private func awaitStop(of calls: RunningCalls) async {
        while calls.begin() {
            calls.end()
            await Task.yield()
        }
    }

    /// Gives other tasks time to do what they must not do.
    private func pause() async { for _ in 0..<200 { await Task.yield() } }

    @Test("a stop waits for the last of the calls that run, and lets none begin")
    func drained() async {
        let calls = RunningCalls()
        for _ in 0..<2 { #expect(calls.begin()) }
        let isOver = ConnectionFlag()
        let stopping = Task {
            await calls.drain(within: .seconds(3600))
            isOver.set(true)
        }
        await awaitStop(of: calls)
        calls.end()
        await pause()
        #expect(!isOver.isUp)
        calls.end()
        await stopping.value
        #expect(!calls.begin())
    }

    @Test("a stop with no call is over at once, and one with a call that does not end, when its time is")
    func limited() async {
        await RunningCalls().drain(within: .seconds(3600))
        let calls = RunningCalls()
        #expect(calls.begin())
        await calls.drain(within: .milliseconds(10))
        // The call ends all the same.
        calls.end()
    }

    @Test("a stop does not wait for what a call does aside, and waits for the rest of it, even if that part fails")
    func aside() async throws {
        struct Failure: Error {}
        let calls = RunningCalls()
        #expect(calls.begin())
        try await calls.aside { await calls.drain(within: .seconds(3600)) }
        calls.end()
        let others = RunningCalls()
        #expect(others.begin())
        await #expect(throws: Failure.self) { try await others.aside { throw Failure() } }
        let isOver = ConnectionFlag()
        let stopping = Task {
            await others.drain(within: .seconds(3600))
            isOver.set(true)
        }
        await awaitStop(of: others)
        await pause()
        #expect(!isOver.isUp)
        others.end()
        await stopping.value
    }

    @Test("a user's threads stay until the last connection ends, and many users share the event loops evenly")
    func threads() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let threads = UserThreads(group)
        let first = threads.enter(uid: 1)
        for _ in 0..<2 { #expect(threads.enter(uid: 1).executor === first.executor) }
        for _ in 0..<2 { threads.leave(uid: 1) }
        #expect(threads.enter(uid: 1).executor === first.executor)
        for _ in 0..<2 { threads.leave(uid: 1) }
        // Who comes again has a new executor, and so has been forgotten.
        let again = threads.enter(uid: 1)
        #expect(again.executor !== first.executor)
        let second = threads.enter(uid: 2)
        #expect(second.loop !== again.loop)
        let others = (3...6).map { threads.enter(uid: $0).loop }
        #expect(others.count { $0 === again.loop } == 2 && others.count { $0 === second.loop } == 2)
        // A user with many connections counts as one.
        for _ in 0..<8 { _ = threads.enter(uid: 1) }
        threads.leave(uid: 2)
        #expect(threads.enter(uid: 7).loop === second.loop)
        threads.leave(uid: 99)
        try await group.shutdownGracefully()
    }

    @Test("idle connections are looked for in an eighth of the time that they have, within limits")
    func sweep() {
        func sweep(_ idle: Duration) -> Int64 {
            var pace = Connection.Pace()
            pace.idle = idle
            return pace.sweep.nanoseconds
        }
        #expect(sweep(.seconds(8)) == 1_000_000_000)
        #expect(sweep(.seconds(600)) == 5_000_000_000 && sweep(.seconds(40)) == 5_000_000_000)
        #expect(sweep(.milliseconds(8)) == 10_000_000 && sweep(.milliseconds(160)) == 20_000_000)
    }

    private func refuse(_ refusals: Refusals, _ uid: UInt32, _ fault: Fault, _ log: LogLines) throws -> Fault {
        var other: Descriptor?
        var client = try UnixSocket(pairedWith: &other)
        guard let socket = other.take() else { throw WireClient.Closed() }
        refusals.refuse(socket, uid, 8, fault, log.logger)
        let message = try client.receiveMessage(limit: 4096, until: .now + patience)
        let rest = try client.receiveMessage(limit: 4096, until: .now + patience)
        #expect(rest == nil, "the connection is over")
        return try Varlink.decode(Fault.self, from: try #require(message))
    }

    @Test("each refused client is told why, and each user is logged once in a while")
    func refusals() throws {
        let (refusals, log) = (Refusals(), LogLines())
        let (full, stranger) = (Fault(.limitExceeded, "too many"), Fault(.permissionDenied, "not for you"))
        func lines() -> [String] { log.all.filter { $0.contains("connection refused") } }
        for fault in [full, full, stranger, full] {
            let told = try refuse(refusals, 7, fault, log)
            #expect(told.name == fault.name && told.details.message == fault.details.message)
        }
        #expect(lines().count == 1)
        #expect(lines()[0].contains("uid=7") && lines()[0].contains("pid=8"))
        #expect(lines()[0].contains("outcome=\(Fault.Name.limitExceeded.rawValue)"))
        _ = try refuse(refusals, 9, full, log)
        #expect(lines().count == 2)
        refusals.forget(log.logger)
        #expect(log.all.last == "info refusals: more were not logged one by one count=3")
        for _ in 0..<2 { _ = try refuse(refusals, 7, full, log) }
        #expect(lines().count == 3)
    }

    @Test("neither a user with thousands of numbers nor processes without a name fill the log")
    func manyNumbers() {
        let (refusals, log) = (Refusals(), LogLines())
        for uid in 0..<UInt32(LogLimits.refusedUsers + 10) { refusals.note(uid, 8, .notPermitted, log.logger) }
        #expect(log.all.count == LogLimits.refusedUsers)
        refusals.forget(log.logger)
        #expect(log.all.last == "info refusals: more were not logged one by one count=10")
        refusals.forget(log.logger)
        let count = log.all.count
        for uid: UInt32? in [7, 7, nil, nil, 7] { refusals.noteNameless(uid, log.logger) }
        #expect(log.all.count == count + 2)
        #expect(log.all.suffix(2).first == "info connection without a nameable process refused uid=7")
    }
}
