import Foundation
import JSON
import Platform
import Synchronization
import Testing
import Varlink

@Suite("a client whose calls can be cancelled")
struct AsyncVarlinkConnectionTests {
    private struct Echo: VarlinkMethod {
        static let name = "org.example.Echo.Say"
        var word: String
        typealias Reply = Echo

        init(word: String) { self.word = word }
        init(from reader: inout JSONReader) throws(JSONFailure) {
            word = try [String: String](from: &reader)["word"] ?? ""
        }
        func write(to writer: inout JSONWriter) { ["word": word].write(to: &writer) }
    }

    /// Answers every call with what it said, but never one that says "wait", and one that says "hold" when it may.
    private final class Server: Sendable {
        let path = "/tmp/coffer-varlink-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        /// Every word that came.
        let words: AsyncStream<String>
        private let heard = Mutex<[String]>([])
        private let gate = DispatchSemaphore(value: 0)

        var all: [String] { heard.withLock { $0 } }

        init() throws {
            let listener = try UnixListener(path: path, mode: 0o600)
            let (words, continuation) = AsyncStream.makeStream(of: String.self)
            self.words = words
            let box = Mutex<UnixListener?>(listener)
            let thread = Thread { [weak self, gate] in
                defer { continuation.finish() }
                // `try?`: a test that gets no answer fails.
                guard let listener = box.withLock({ $0.take() }), let connection = try? listener.accept() else {
                    Issue.record("nobody connected")
                    return
                }
                var socket = UnixSocket(adopting: connection)
                do {
                    while let message = try socket.receiveMessage(limit: 4096) {
                        let echo = try Varlink.decode(VarlinkCall<Echo>.self, from: message).parameters
                        self?.heard.withLock { $0.append(echo.word) }
                        continuation.yield(echo.word)
                        if echo.word == "hold" { gate.wait() }
                        if echo.word != "wait" { try socket.send(Varlink.encode(VarlinkReply(echo))) }
                    }
                } catch {
                    // The client has ended the connection.
                }
            }
            thread.start()
        }

        deinit { unsafe unlink(path) }

        /// Lets a call that says "hold" have its answer.
        func letGo() { gate.signal() }

        func connect() async throws -> AsyncVarlinkConnection {
            try await AsyncVarlinkConnection.connect(path: path, until: .now + .seconds(60))
        }
    }

    private func said(_ answer: VarlinkAnswer<Echo>) -> String? {
        if case .reply(let echo, _) = answer { echo.word } else { nil }
    }

    @Test("each call gets its own answer, however many tasks make them")
    func answers() async throws {
        let server = try Server()
        let line = try await server.connect()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask { try await said(line.call(Echo(word: "\(number)"))) == "\(number)" }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("a call that was sent and is cancelled ends at once, and the connection with it")
    func cancelled() async throws {
        let server = try Server()
        let line = try await server.connect()
        let calling = Task { try await line.call(Echo(word: "wait")) }
        for await word in server.words where word == "wait" { break }
        calling.cancel()
        await #expect(throws: CancellationError.self) { try await calling.value }
        // Never the late answer of the cancelled call.
        await #expect(throws: TransportFailure.self) { try await line.call(Echo(word: "next")) }
    }

    @Test("a call that waits for its turn and is cancelled is never sent, and no other call suffers")
    func cancelledBeforeItsTurn() async throws {
        let server = try Server()
        let line = try await server.connect()
        let first = Task { try await line.call(Echo(word: "hold")) }
        for await word in server.words where word == "hold" { break }
        let second = Task { try await line.call(Echo(word: "second")) }
        second.cancel()
        server.letGo()
        #expect(try await said(first.value) == "hold")
        await #expect(throws: CancellationError.self) { try await second.value }
        // The connection goes on, because nothing of the second call was sent.
        #expect(try await said(line.call(Echo(word: "third"))) == "third")
        #expect(server.all == ["hold", "third"])
    }

    @Test("a call that is late, or whose connection is ended, fails, and so do all after it")
    func failures() async throws {
        for closes in [false, true] {
            let server = try Server()
            let line = try await server.connect()
            #expect(try await said(line.call(Echo(word: "a"))) == "a")
            let calling = Task {
                try await line.call(Echo(word: "wait"), until: closes ? nil : .now + .milliseconds(50))
            }
            for await word in server.words where word == "wait" { break }
            if closes { line.close() }
            await #expect(throws: TransportFailure.self) { try await calling.value }
            await #expect(throws: TransportFailure.self) { try await line.call(Echo(word: "b")) }
            #expect(!server.all.contains("b"))
        }
    }

    @Test("nobody who listens: an error, not a wait")
    func nobody() async throws {
        await #expect(throws: TransportFailure.self) {
            try await AsyncVarlinkConnection.connect(path: "/tmp/coffer-nobody", until: .now + .seconds(60))
        }
    }
}
