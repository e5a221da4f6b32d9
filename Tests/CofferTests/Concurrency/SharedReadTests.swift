import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

/// Many tasks read at once, with the real broker and the real authenticator.
@Suite(.timeLimit(.minutes(30)))
struct SharedReadTests {
    private static let gated = AccessControl.whenUnlocked.requiring(.userPresence)

    private static func sandbox() async throws -> (SandboxBroker, Coffer.Keychain) {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        return (sandbox, Coffer.Keychain(service: "many", prompts: .never, backend: sandbox.backend))
    }

    /// Answers when a test says so, and counts the questions.
    private final class Person: Sendable {
        private let count = Mutex(0)
        let mayAnswer = Gate()

        var questions: Int { count.withLock { $0 } }

        var prompts: Prompts {
            .handler { [self] message in
                guard message.wantsAnswer else { return nil }
                count.withLock { $0 += 1 }
                await mayAnswer.pass()
                return "sandbox"
            }
        }
    }

    @Test("tasks that read one item ask once, and each has the value", arguments: [1, 9, 20, 200])
    func oneItem(_ number: Int) async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        try await keychain.set("x", for: "me", access: Self.gated)
        let person = Person()
        let asking = keychain.prompting(person.prompts)
        let tasks = (0..<number).map { _ in Task { try await asking.string(for: "me", reason: "Sign you in") } }
        #expect(try await eventually { sandbox.backend.access.reads.waiting == number && person.questions > 0 })
        person.mayAnswer.open()
        for task in tasks { #expect(try await task.value == "x") }
        #expect(person.questions == 1)
        await sandbox.stop()
    }

    /// - Returns: how often a process of its own was asked, and the most threads that it had.
    private static func readers(
        _ tasks: Int, of items: Int, _ sandbox: SandboxBroker
    ) async throws -> (questions: Int, threads: Int) {
        let process = try Subprocess(Fixture.programs + "/coffer-contender", ["readers", "\(tasks)", "\(items)"]) {
            $0.environment = ProcessInfo.processInfo.environment.merging(sandbox.environment) { $1 }
            $0.output = .pipe
            $0.errors = .inherited
        }
        let said = try await withCheckedThrowingContinuation { continuation in
            // Waiting blocks.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let said = try process.read(limit: 64)
                        #expect(try process.finish() == 0)
                        return String(decoding: said, as: UTF8.self)
                    })
            }
        }
        let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(numbers.count == 2, "\(said)")
        return (numbers[0], numbers[1])
    }

    @Test("no task has a thread of its own, and none is refused", arguments: [(9, 1), (20, 1), (200, 1), (200, 40)])
    func threads(_ tasks: Int, _ items: Int) async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        for item in 0..<items { try await keychain.set("value \(item)", for: "\(item)", access: Self.gated) }
        let seen = try await Self.readers(tasks, of: items, sandbox)
        #expect(items > 1 ? seen.questions <= items : seen.questions == 1, "\(seen)")
        // Swift's own, one for each connection, and one for each conversation.
        #expect(seen.threads < (items > 1 ? 80 : 30), "\(seen)")
        await sandbox.stop()
    }

    @Test("calls that share no prompt wait for their turn")
    func changes() async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        for number in 0..<20 { try await keychain.set("x", for: "\(number)", access: Self.gated) }
        let person = Person()
        person.mayAnswer.open()
        let asking = keychain.prompting(person.prompts)
        let tasks = (0..<20).map { number in
            Task { try await asking.rename("\(number)", to: "new \(number)").account }
        }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == "new \(number)") }
        #expect(person.questions == 20)
        await sandbox.stop()
    }

    @Test("a locked vault is opened once for all who read")
    func lockedVault() async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        for number in 0..<20 { try await keychain.set("\(number)", for: "\(number)") }
        try await keychain.lock()
        let person = Person()
        person.mayAnswer.open()
        let asking = keychain.prompting(person.prompts)
        let tasks = (0..<20).map { number in Task { try await asking.string(for: "\(number)") } }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == "\(number)") }
        await sandbox.stop()
    }

    @Test("a cancelled task ends its own wait only")
    func cancelled() async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        try await keychain.set("x", for: "me", access: Self.gated)
        let reads = sandbox.backend.access.reads
        // The first one makes the read.
        for victim in 0..<2 {
            let person = Person()
            let asking = keychain.prompting(person.prompts)
            let tasks = (0..<2).map { _ in Task { try await asking.string(for: "me") } }
            #expect(try await eventually { reads.waiting == 2 && person.questions == 1 })
            tasks[victim].cancel()
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: tasks[victim]) }
            #expect(reads.waiting == 1)
            person.mayAnswer.open()
            #expect(try await tasks[1 - victim].value == "x")
            #expect(person.questions == 1)
        }
        await sandbox.stop()
    }

    @Test("when all are cancelled the question closes, and the next read asks anew")
    func allCancelled() async throws {
        let (sandbox, keychain) = try await Self.sandbox()
        try await keychain.set("x", for: "me", access: Self.gated)
        let person = Person()
        let asking = keychain.prompting(person.prompts)
        let tasks = (0..<3).map { _ in Task { try await asking.string(for: "me") } }
        #expect(try await eventually { sandbox.backend.access.reads.waiting == 3 && person.questions == 1 })
        for task in tasks { task.cancel() }
        for task in tasks {
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: task) }
        }
        person.mayAnswer.open()
        #expect(try await asking.string(for: "me") == "x")
        #expect(person.questions == 2)
        await sandbox.stop()
    }

    @Test("a read that the broker has is not joined: its answer may be older")
    func fresh() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Get": [.silence, .fault(.notFound, "it is gone")]])
        let backend = BrokerBackend(paths: paths, patience: .seconds(100_000))
        // A program may make a keychain for every call.
        func read() -> Task<[UInt8], any Error> {
            Task {
                try await Coffer.Keychain(
                    service: "s", backend: BrokerBackend(paths: paths, patience: .seconds(100_000))
                ).bytes(for: "me")
            }
        }
        let first = read()
        #expect(try await eventually { !server.calls("Get").isEmpty })
        let others = (0..<2).map { _ in read() }
        #expect(try await eventually { backend.access.reads.waiting == 3 })
        #expect(server.calls("Get").count == 1)
        // Those who wait for the next read go first. Else it would begin.
        for task in others + [first] {
            task.cancel()
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: task) }
        }
        let next = Task { try await Coffer.Keychain(service: "s", backend: backend).bytes(for: "me") }
        await refused(.notFound) { () throws(KeychainError) in try await Check.value(of: next) }
    }

    @Test("what differs in anything is another read")
    func keys() {
        func key(
            _ account: String = "a", reason: String? = "r", prompts: Prompts = .automatic, unlocks: Bool = true,
            password: [UInt8]? = nil, version: Int? = nil, vault: VaultName = .own
        ) -> SharedReads.Key {
            let request = ReadRequest(
                reason: reason, prompts: prompts, mayUnlock: unlocks, applicationPassword: password, version: version)
            return SharedReads.Key(items: [ItemName(service: "s", account: account)], request: request, vault: vault)
        }
        let handler = Prompts.handler { _ in nil }
        #expect(key() == key())
        #expect(key(prompts: handler) == key(prompts: handler))
        // Their hashes differ, so a set does not compare them.
        #expect(key(prompts: handler) != key(prompts: .handler { _ in nil }))
        let others = [
            key("b"), key(reason: nil), key(reason: "q"), key(prompts: .never), key(prompts: handler),
            key(prompts: .handler { _ in nil }), key(prompts: .automatic.announcing("for another")),
            key(unlocks: false), key(password: [1]), key(password: [2]), key(version: 1), key(vault: .group("g")),
            // Equal in Unicode, and two names.
            key("\u{E9}"), key("e\u{301}"), key(vault: .group("\u{E9}")), key(vault: .group("e\u{301}")),
        ]
        #expect(Set(others + [key()]).count == others.count + 1)
    }
}

/// Which tasks share a read, without a broker.
@Suite struct SharedReadsTests {
    private let reads = SharedReads()
    private let began = Tally()
    private let ended = Tally()
    private static let key = SharedReads.Key(
        items: [ItemName(service: "s", account: "a")], request: ReadRequest(), vault: .own)

    /// A read whose error tells which one it was.
    private func read(asking: Bool = false, until gate: Gate) -> Task<String, Never> {
        Task { [reads, began, ended] in
            defer { ended.add() }
            do throws(KeychainError) {
                _ = try await reads.items(Self.key) { (person) throws(KeychainError) in
                    began.add()
                    let number = began.count
                    if asking { person.begin() }
                    await gate.pass()
                    if asking { person.end() }
                    throw KeychainError(.failed, "read \(number)")
                }
                return "nothing"
            } catch { return error.message }
        }
    }

    /// Its answer may be older than what the task knows of.
    @Test func aReadThatTheBrokerHasIsNotJoined() async throws {
        let (first, second) = (Gate(), Gate())
        let one = read(until: first)
        #expect(try await eventually { began.count == 1 })
        let two = read(until: second)
        #expect(try await eventually { reads.waiting == 2 })
        first.open()
        #expect(await one.value == "read 1")
        second.open()
        // It runs the body of the task that came first, whose gate is open.
        #expect(await two.value == "read 2")
    }

    @Test func aReadThatWaitsForAPersonIsJoined() async throws {
        let gate = Gate()
        let one = read(asking: true, until: gate)
        #expect(try await eventually { began.count == 1 && gate.waiting == 1 })
        let two = read(asking: true, until: gate)
        #expect(try await eventually { reads.waiting == 2 })
        gate.open()
        #expect(await one.value == "read 1")
        #expect(await two.value == "read 1")
        #expect(began.count == 1)
    }

    /// So its prompt closes.
    @Test func aReadThatNobodyWaitsForEnds() async throws {
        let cancelled = Tally()
        let gate = Gate()
        let tasks = (0..<2).map { _ in
            Task { [reads, began, ended] in
                defer { ended.add() }
                _ = try await reads.items(Self.key) { (person) throws(KeychainError) in
                    began.add()
                    person.begin()
                    await withTaskCancellationHandler {
                        await gate.pass()
                    } onCancel: {
                        cancelled.add()
                        gate.open()
                    }
                    throw .cancelledByTask
                }
            }
        }
        #expect(try await eventually { began.count == 1 && reads.waiting == 2 && gate.waiting == 1 })
        tasks[0].cancel()
        #expect(try await eventually { ended.count == 1 })
        #expect(cancelled.count == 0)
        tasks[1].cancel()
        #expect(try await eventually { ended.count == 2 })
        #expect(try await eventually { cancelled.count == 1 })
        gate.open()
    }
}

/// Who waits for a place gets one in turn.
@Suite struct PlacesTests {
    private let places = Places<String>(all: 4, alike: 2)

    @Test func placesAreLimitedTogetherAndForEachSubject() {
        for subject in ["a", "b", "c", "d"] { #expect(places.enter(subject)) }
        #expect(!places.enter("e"))
        places.leave("a")
        #expect(places.enter("e"))
        for subject in ["b", "c", "d", "e"] { places.leave(subject) }
        for _ in 0..<2 { #expect(places.enter("a")) }
        #expect(!places.enter("a"))
        #expect(places.enter("b"))
    }

    @Test func whoWaitsHasItsTurnAndACancelledTaskLosesNoPlace() async throws {
        for _ in 0..<2 { #expect(places.enter("a")) }
        let ended = Tally()
        let first = Task {
            defer { ended.add() }
            try await places.wait("a")
        }
        #expect(try await eventually { places.waiting == 1 })
        let second = Task {
            defer { ended.add() }
            try await places.wait("a")
        }
        #expect(try await eventually { places.waiting == 2 })
        first.cancel()
        // A task that waits for ever would be waited for.
        try #require(await eventually { ended.count == 1 })
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: first) }
        #expect(places.waiting == 1)
        places.leave("a")
        try #require(await eventually { ended.count == 2 })
        try await second.value
        // Nobody overtakes: all places are taken again, and each that is given back is free.
        #expect(!places.enter("a"))
        for _ in 0..<2 { places.leave("a") }
        for _ in 0..<2 { #expect(places.enter("a")) }
        #expect(!places.enter("a"))
    }
}
