import Foundation
import JSON
import Platform
import Synchronization
import Testing
import Varlink

@Suite("a call with several replies", .timeLimit(.minutes(10)))
struct VarlinkRepliesTests {
    private struct Count: VarlinkMethod {
        static let name = "org.example.Count.To"
        /// How many replies. After them the call ends with an error if it is negative, and never if it is 0.
        var number: Int

        struct Reply: JSONValue, Equatable {
            var number: Int

            init(number: Int) { self.number = number }
            init(from reader: inout JSONReader) throws(JSONFailure) {
                number = try [String: Int](from: &reader)["number"] ?? 0
            }
            func write(to writer: inout JSONWriter) { ["number": number].write(to: &writer) }
        }

        init(number: Int) { self.number = number }
        init(from reader: inout JSONReader) throws(JSONFailure) {
            number = try [String: Int](from: &reader)["number"] ?? 0
        }
        func write(to writer: inout JSONWriter) { ["number": number].write(to: &writer) }
    }

    /// Counts, and tells each call that it reads.
    private final class Server: Sendable {
        let path = "/tmp/coffer-varlink-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        /// Every call, and -1000 when the client has gone.
        let calls: AsyncStream<(number: Int, more: Bool)>

        init() throws {
            let (calls, continuation) = AsyncStream.makeStream(of: (number: Int, more: Bool).self)
            self.calls = calls
            let box = Mutex<UnixListener?>(try UnixListener(path: path, mode: 0o600))
            let thread = Thread {
                defer {
                    continuation.yield((-1000, false))
                    continuation.finish()
                }
                // `try?`: a test that gets no answer fails.
                guard let listener = box.withLock({ $0.take() }), let connection = try? listener.accept() else {
                    return
                }
                var socket = UnixSocket(adopting: connection)
                // `try?`: an error means that the client has ended the connection.
                while let message = try? socket.receiveMessage(limit: 4096),
                    let call = try? Varlink.decode(VarlinkCall<Count>.self, from: message)
                {
                    let number = call.parameters.number
                    continuation.yield((number, call.more ?? false))
                    for index in 1...max(1, abs(number)) {
                        let reply = VarlinkReply(Count.Reply(number: index), continues: index != number)
                        // `try?`: as above, here and below.
                        guard (try? socket.send(Varlink.encode(reply))) != nil else { return }
                    }
                    if number < 0 { try? socket.send(Varlink.encode(Fault(.permissionDenied))) }
                }
            }
            thread.start()
        }

        deinit { unsafe unlink(path) }

        func connect() async throws -> AsyncVarlinkConnection {
            try await AsyncVarlinkConnection.connect(path: path, until: .now + .seconds(60))
        }

        /// Waits until the client has gone.
        func end() async { for await call in calls where call.number == -1000 { return } }
    }

    private func isOne(_ answer: VarlinkAnswer<Count.Reply>) -> Bool {
        if case .reply(Count.Reply(number: 1), false) = answer { true } else { false }
    }

    @Test("they come in order, the call asks for them, and the next call has its turn after the last one")
    func replies() async throws {
        let server = try Server()
        let line = try await server.connect()
        var numbers: [Int] = []
        for try await reply in line.replies(to: Count(number: 500)) { numbers.append(reply.number) }
        #expect(numbers == Array(1...500))
        #expect(isOne(try await line.call(Count(number: 1))))
        var calls: [Bool] = []
        for await call in server.calls {
            calls.append(call.more)
            if calls.count == 2 { break }
        }
        #expect(calls == [true, false])
    }

    @Test("an error ends them, and not the connection")
    func fault() async throws {
        let line = try await Server().connect()
        var replies = line.replies(to: Count(number: -2)).makeAsyncIterator()
        for number in 1...2 { #expect(try await replies.next()?.number == number) }
        await #expect(throws: Fault.self) { try await replies.next() }
        #expect(try await replies.next() == nil)
        #expect(isOne(try await line.call(Count(number: 1))))
    }

    @Test("no other call takes one of them for its answer")
    func otherCalls() async throws {
        let line = try await Server().connect()
        var replies = line.replies(to: Count(number: 2)).makeAsyncIterator()
        #expect(try await replies.next()?.number == 1)
        await #expect(throws: TransportFailure.self) { try await line.call(Count(number: 1)) }
        var others = line.replies(to: Count(number: 1)).makeAsyncIterator()
        await #expect(throws: TransportFailure.self) { try await others.next() }
        #expect(try await replies.next()?.number == 2)
        #expect(try await replies.next() == nil)
        #expect(isOne(try await line.call(Count(number: 1))))
    }

    @Test("a task that is cancelled while it waits ends the connection")
    func cancelled() async throws {
        let server = try Server()
        let line = try await server.connect()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            for try await _ in line.replies(to: Count(number: 0)) { continuation.yield() }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        await server.end()
        await #expect(throws: TransportFailure.self) { try await line.call(Count(number: 1)) }
    }

    @Test("who stops reading before the last one ends the connection")
    func abandoned() async throws {
        let server = try Server()
        let line = try await server.connect()
        for try await reply in line.replies(to: Count(number: 3)) where reply.number == 2 { break }
        await server.end()
        await #expect(throws: TransportFailure.self) { try await line.call(Count(number: 1)) }
    }
}
