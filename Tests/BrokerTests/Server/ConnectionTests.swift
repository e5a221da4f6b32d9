import BrokerProtocol
import Cryptography
import Dispatch
import Foundation
import JSON
import NIOCore
import NIOPosix
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Who gets and keeps a connection (attackers 3 and 7).
@Suite(.timeLimit(.minutes(30)))
struct ConnectionTests {
    private static let list = #"{"method":"org.coffer.Keychain.List","parameters":{}}"#
    private static let needsRoot = OwnProcess.effectiveUser == 0

    /// A broker that other users can reach.
    private func broker(_ options: Broker.Options, perUser: Int = 64) async throws -> ThrowAwayBroker {
        let broker = try await throwAwayBroker(options: options) { $0.connectionsPerUser = perUser }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        return broker
    }

    @Test(
        "a number without an account is refused before it has said anything, and holds no place",
        .enabled(if: needsRoot, "needs root"))
    func nameless() async throws {
        let broker = try await broker(Broker.Options.patient)
        let socket = broker.configuration.socket
        for _ in 0..<2 {
            let unknown = try await OtherProcess(socket: socket, uid: 3_000_000_001)
            #expect(try await unknown.hear().contains("no account"))
            #expect(try await unknown.hear() == "EOF")
        }
        let known = try await OtherProcess(socket: socket, uid: 1)
        #expect(try await known.say(Self.list).contains("items"))
        await broker.stop()
    }

    @Test(
        "a name service that hangs keeps only those waiting whom it is asked about",
        .enabled(if: needsRoot, "needs root"))
    func hangingNames() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isHanging = Mutex(false)
        var options = Broker.Options.patient
        options.accounts = { uid in
            guard uid == 2 else { return true }
            isHanging.withLock { $0 = true }
            _ = gate.wait(timeout: .now() + .seconds(20))
            isHanging.withLock { $0 = false }
            return true
        }
        let broker = try await broker(options)
        let socket = broker.configuration.socket
        let slow = try await OtherProcess(socket: socket, uid: 2)
        async let late = slow.say(Self.list)
        while !isHanging.withLock({ $0 }) { await Task.yield() }
        let quick = try await OtherProcess(socket: socket, uid: 1)
        #expect(try await quick.say(Self.list).contains("items"))
        #expect(isHanging.withLock { $0 }, "it was answered only when the name service was")
        gate.signal()
        #expect(try await late.contains("items"))
        await broker.stop()
    }

    @Test("the name service is asked once at a time for each user, and its silence is no word for anybody")
    func names() async {
        let asked = Mutex<[UInt32]>([])
        let gate = DispatchSemaphore(value: 0)
        let clock = TestClock()
        let users = KnownUsers(exempt: [0], clock: clock.clock) { uid in
            asked.withLock { $0.append(uid) }
            if uid == 4 { throw SystemError("ask", reason: "nobody answers") }
            if uid == 5 { _ = gate.wait(timeout: .now() + .seconds(100)) }
            return uid != 3
        }
        func answer(_ uid: UInt32) async -> KnownUsers.Answer {
            await withCheckedContinuation { continuation in users.ask(uid) { continuation.resume(returning: $0) } }
        }
        #expect(await answer(0) == .known && asked.withLock { $0 }.isEmpty)
        for _ in 0..<3 { #expect(await answer(2) == .known) }
        for _ in 0..<3 { #expect(await answer(3) == .unknown) }
        #expect(asked.withLock { $0 } == [2, 3])
        #expect(await answer(4) == .unanswered)
        // A new account is known a moment later. A known account stays known.
        clock.advance(by: .seconds(3))
        _ = await answer(3)
        #expect(asked.withLock { $0 } == [2, 3, 4, 3])
        // All connections of a user wait for one answer.
        let answers = await withTaskGroup(of: KnownUsers.Answer.self) { group in
            for _ in 0..<30 { group.addTask { await answer(5) } }
            gate.signal()
            var answers: [KnownUsers.Answer] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers.count == 30 && answers.allSatisfy { $0 == .known })
        #expect(asked.withLock { $0.count { $0 == 5 } } == 1)
    }

    @Test("a number without an account waits for no turn, and takes no place while that is remembered")
    func turnOfTheNameless() async throws {
        let fixture = try VaultFixture()
        let path = fixture.folder.path + "/s"
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 1, connections: 8))
        let arrivals = ConnectionPace(burst: 1, interval: .seconds(3600))
        let listener = try Listener.start(
            on: UnixListener(path: path, mode: 0o600), group: group,
            Listener.Dependencies(
                served: KeychainInterface(core: fixture.core()), budgets: budgets,
                users: KnownUsers(exempt: [], clock: TestClock().clock) { _ in false }, calls: RunningCalls(),
                pace: Connection.Pace(), threads: UserThreads(group), logger: LogLines().logger, arrivals: arrivals))
        let uid = OwnProcess.effectiveUser
        let first = try WireClient(path)
        #expect(try Varlink.decode(Fault.self, from: try await first.message()).name == .notPermitted)
        // The turn is still there for somebody.
        #expect(arrivals.delay(of: uid) == .zero)
        try await until("its place is free") { budgets.total(.connections) == 0 }
        try budgets.take(1, of: .connections, for: uid)
        try budgets.take(budgets.limits.locks.user, of: .locks, for: uid)
        let second = try WireClient(path)
        #expect(try Varlink.decode(Fault.self, from: try await second.message()).name == .notPermitted)
        await listener.stopAccepting()
        listener.closeConnections()
        await listener.waitForConnections(within: patience)
        listener.close()
        try await group.shutdownGracefully()
    }

    /// The client's end of a connection.
    private final class Client: Sendable {
        private let socket: UnixSocket

        init(_ socket: consuming UnixSocket) { self.socket = socket }

        func send(_ text: String) throws { try socket.send(Array(text.utf8), until: .now + patience) }

        func hangUp() { socket.shutDown() }
    }

    /// A service whose answers note when they are written.
    private struct Noting: ServedInterface {
        struct Answer: JSONWritable {
            let name: String
            let noted: Noted

            func write(to writer: inout JSONWriter) {
                noted.names.withLock { _ = $0.insert(name) }
                writer.beginObject()
                writer.endObject()
            }
        }

        final class Noted: Sendable {
            let names = Mutex<Set<String>>([])
        }

        let noted = Noted()
        let interfaces = ServedInterfaces(product: "test", version: "1", interfaces: [], methods: [])
        var unreadable: Fault.Name { .invalidArgument }
        var keepsUsersApart: Bool { false }

        func admits(uid: UInt32) -> Bool { true }
        func ownsVault(uid: UInt32) -> Bool { false }
        func awaits(_ caller: Caller) -> Bool { false }
        func isLock(_ call: IncomingCall) -> Bool { false }
        func connectionEnded(_ caller: Caller) {}

        func answer(
            _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
        ) async throws(Fault) -> MethodAnswer { .reply(Answer(name: call.method, noted: noted)) }
    }

    /// The broker's end of a connection, and the client's.
    ///
    /// - Parameter isFull: whether the kernel takes nothing more for the client.
    private func connect(
        to served: Noting, _ pace: Connection.Pace, isFull: Bool = false, on group: MultiThreadedEventLoopGroup
    ) async throws -> (Connection, Client) {
        var other: Descriptor?
        let client = Client(try UnixSocket(pairedWith: &other))
        guard let end = other.take() else { throw WireClient.Closed() }
        let sender = try SocketSender(of: end)
        if isFull {
            for size in [1 << 16, 1] { while try sender.send([UInt8](repeating: 0, count: size)) > 0 {} }
        }
        let channel = try await Listener.open(end, on: group.next())
        let connection = Connection(
            channel: channel, sender: sender,
            caller: Caller(uid: 1, process: ProcessIdentity(pid: 1, startTime: 1), connection: 1), refusal: nil,
            served: served, budgets: .usual, connections: OpenConnections(), calls: RunningCalls(), trim: HeapTrim(),
            pace: pace, refusals: Refusals(), logger: LogLines().logger)
        return (connection, client)
    }

    @Test("a client that does not read why its connection ends is let go all the same")
    func unreadError() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var pace = Connection.Pace()
        pace.message = .milliseconds(10)
        pace.answer = .milliseconds(10)
        let (connection, client) = try await connect(to: Noting(), pace, isFull: true, on: group)
        let isOver = Mutex(false)
        let serving = Task {
            await connection.serve()
            isOver.withLock { $0 = true }
        }
        try client.send("{")
        try await until("it is let go") { isOver.withLock { $0 } }
        await serving.value
        client.hangUp()
        try await group.shutdownGracefully()
    }

    @Test("an answer that nobody is to get is not even written, because it may be a secret")
    func unwanted() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let served = Noting()
        let (connection, client) = try await connect(to: served, Connection.Pace(), on: group)
        let serving = Task { await connection.serve() }
        for text in [#"{"method":"quiet","oneway":true}"#, #"{"method":"loud"}"#] { try client.send(text + "\0") }
        try await until("the second is answered") { served.noted.names.withLock { $0.contains("loud") } }
        #expect(served.noted.names.withLock { $0 } == ["loud"])
        client.hangUp()
        await serving.value
        try await group.shutdownGracefully()
    }

    @Test("a connection on which nothing happens ends, and one that waits for a person does not")
    func idle() async throws {
        var options = Broker.Options.patient
        options.idleTimeLimit = .milliseconds(500)
        let broker = try await broker(options)
        let maker = try broker.client()
        try await broker.makeVault(maker)
        _ = try await maker.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let waiting = try await OtherProcess(socket: broker.configuration.socket)
        let get = #"{"method":"org.coffer.Keychain.Get","parameters":{"service":"s","account":"a"}}"#
        #expect(try await waiting.say(get).contains("AuthenticationRequired"))
        for _ in 0..<2 {
            let idle = try await OtherProcess(socket: broker.configuration.socket)
            #expect(try await idle.say(Self.list).contains("items"))
            #expect(try await idle.hear() == "EOF")
        }
        #expect(try await waiting.say(Self.list).contains("items"))
        await broker.stop()
    }

    @Test(
        "who has many connections takes none of the places that are kept for the others, and loses idle ones to them",
        .enabled(if: needsRoot, "needs root"))
    func share() async throws {
        var options = Broker.Options.patient
        options.connections = 40
        let broker = try await broker(options)
        let socket = broker.configuration.socket
        func connect(_ uid: UInt32) async throws -> (process: OtherProcess, answer: String) {
            let process = try await OtherProcess(socket: socket, uid: uid)
            return (process, try await process.say(Self.list))
        }
        // A quarter is reserved for users who have few.
        var greedy: [OtherProcess] = []
        for _ in 0..<30 {
            let (process, answer) = try await connect(1)
            #expect(answer.contains("items"))
            greedy.append(process)
        }
        #expect(try await connect(1).answer != "EOF")
        #expect(try await !connect(1).answer.contains("items"))
        var others: [OtherProcess] = []
        for uid in [2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3] as [UInt32] {
            let (process, answer) = try await connect(uid)
            #expect(answer.contains("items"), "\(others.count): \(answer)")
            others.append(process)
        }
        // All forty are taken. The last two took places of this user, the ones unused for longest.
        for process in greedy.prefix(2) { #expect(try await process.hear() == "EOF") }
        for process in greedy.dropFirst(2) + others { #expect(try await process.say(Self.list).contains("items")) }
        await broker.stop()
    }

    private final class Over: Sendable {
        let value = Mutex(false)
    }

    @Test("what one user's calls take keeps no other user's waiting")
    func apart() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let threads = UserThreads(group)
        let (first, same, second) = (threads.enter(uid: 1), threads.enter(uid: 1), threads.enter(uid: 2))
        let (one, other) = (first.executor, second.executor)
        #expect(one === same.executor && first.loop === same.loop)
        let gate = DispatchSemaphore(value: 0)
        let over = Over()
        // More than there are processors, so that some share one.
        let busy = (0..<64).map { _ in
            Task(executorPreference: one) {
                // One wait without end would be enough to delay all that share its thread.
                guard !over.value.withLock({ $0 }) else { return }
                if gate.wait(timeout: .now() + .seconds(30)) == .timedOut { over.value.withLock { $0 = true } }
            }
        }
        // The thread that reads and writes for this user, too.
        first.loop.execute {
            if gate.wait(timeout: .now() + .seconds(30)) == .timedOut { over.value.withLock { $0 = true } }
        }
        await Task(executorPreference: other) {}.value
        try await second.loop.submit {}.get()
        #expect(!over.value.withLock { $0 }, "it had to wait for another user's")
        gate.signal()
        for _ in busy { gate.signal() }
        for task in busy { await task.value }
        // The next client gets the event loop that serves nobody.
        threads.leave(uid: 1)
        threads.leave(uid: 1)
        #expect(threads.enter(uid: 3).loop === first.loop)
        try await group.shutdownGracefully()
    }

    @Test("what computes for long does so on no thread that calls are answered on")
    func aside() async throws {
        /// The threads of a concurrent queue and of Swift's tasks share one name. Other threads have other names.
        @Sendable func thread() -> String {
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "unknown"
        }
        let ofTasks = await Task.detached { thread() }.value
        let own = await withCheckedContinuation { continuation in
            OwnThread.run { continuation.resume(returning: thread()) }
        }
        #expect(own != ofTasks)
        let scrypt = Mutex("")
        let names = Mutex("")
        let result = try StretchedPassword(SecretBytes(copying: Array("x".utf8)))
        _ = try await PasswordStretcher(budgets: .usual).run(for: 1) { () throws(VaultError) in
            scrypt.withLock { $0 = thread() }
            return result
        }
        let users = KnownUsers(exempt: [], clock: .system) { _ in
            names.withLock { $0 = thread() }
            return true
        }
        await withCheckedContinuation { continuation in users.ask(1) { _ in continuation.resume() } }
        for name in [scrypt.withLock { $0 }, names.withLock { $0 }] { #expect(name != ofTasks && !name.isEmpty) }
    }

    @Test("who connects on and on waits, and nobody else does")
    func pace() {
        let pace = ConnectionPace(burst: ConnectionLimits.burst, interval: ConnectionLimits.interval)
        let now = ContinuousClock.now
        let delays = (0..<1000).map { _ in pace.delay(of: 1, at: now) }
        #expect(delays.prefix(128).allSatisfy { $0 == .zero })
        #expect(delays.last == .milliseconds(4 * (1000 - 128)) && delays == delays.sorted())
        #expect(pace.delay(of: 2, at: now) == .zero)
        // After a pause everything is as before.
        let later = now + .seconds(4)
        pace.forget(at: later)
        #expect(pace.delay(of: 1, at: later) == .zero)
    }
}
