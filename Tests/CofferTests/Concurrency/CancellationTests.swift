import BrokerProtocol
import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

/// A read that asks is cancelled at many moments. Nothing of it stays: no question, no challenge, no process.
@Suite(.timeLimit(.minutes(30)))
struct CancellationTests {
    /// When the task is cancelled.
    enum Moment: Sendable {
        /// After so many turns of the scheduler.
        case turns(Int)
        /// When the person is told what it is about, and so many turns later.
        case told(turns: Int)
        /// When the person is asked, and so many turns later.
        case asked(turns: Int)
        /// Just before the answer is given.
        case answering

        static let all: [Moment] =
            (0..<20).map { .turns($0 * $0) } + (0..<14).map { .told(turns: $0 * $0) }
            + (0..<14).map { .asked(turns: $0 * $0) } + [.answering, .answering]
    }

    /// A person whose questions are counted while they are open.
    private final class Person: Sendable {
        private struct State {
            var open = 0
            var task: Task<[UInt8], any Error>?
        }

        private let state = Mutex(State())
        let moment: Moment

        init(_ moment: Moment) { self.moment = moment }

        var openQuestions: Int { state.withLock { $0.open } }

        func begin(_ task: Task<[UInt8], any Error>) async {
            state.withLock { $0.task = task }
            if case .turns(let count) = moment {
                await Self.turn(count)
                task.cancel()
            }
        }

        var prompts: Prompts {
            .handler { [self] message in
                state.withLock { $0.open += 1 }
                defer { state.withLock { $0.open -= 1 } }
                switch (moment, message.wantsAnswer) {
                case (.told(let turns), false), (.asked(let turns), true):
                    Task {
                        await Self.turn(turns)
                        await self.cancel()
                    }
                case (.answering, true): await cancel()
                default: break
                }
                guard message.wantsAnswer else { return nil }
                if case .answering = moment { return "sandbox" }
                // Nobody answers. Only the cancellation ends this.
                try await Task.sleep(for: .seconds(100_000))
                return "sandbox"
            }
        }

        /// The task may not be known yet.
        private func cancel() async {
            while true {
                if let task = state.withLock({ $0.task }) { return task.cancel() }
                await Task.yield()
            }
        }

        private static func turn(_ count: Int) async { for _ in 0..<count { await Task.yield() } }
    }

    @Test("cancelled at fifty moments, a gated read leaves no question, no challenge and no process")
    func leavesNothing() async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let keychain = Coffer.Keychain(service: "s", prompts: .never, backend: sandbox.backend)
        // Different items, because a challenge for the same item takes the place of an older one.
        for number in 0..<50 {
            try await keychain.set("x", for: "\(number)", access: .whenUnlocked.requiring(.userPresence))
        }
        let programs = try Self.session(of: sandbox.leader).count
        #expect(Moment.all.count == 50)
        for (number, moment) in Moment.all.enumerated() {
            let person = Person(moment)
            let reading = Task { () throws(KeychainError) in
                try await keychain.prompting(person.prompts).bytes(for: "\(number)")
            }
            await person.begin(reading)
            await refused(.cancelled, "\(moment)") { () throws(KeychainError) in try await Check.value(of: reading) }
            // The call does not wait for the handler, which ends by itself.
            try await Self.until { person.openQuestions == 0 }
        }
        try await Self.until { try Self.session(of: sandbox.leader).count == programs }

        // One process may have 32 open challenges that one prompt answers. If one of fifty were left, the last of these would be refused.
        let client = try WireClient(sandbox.paths.broker)
        // The last challenges may still be withdrawn.
        let deadline = ContinuousClock.now + patience
        while try await Self.challenges(client) < 32 {
            try #require(ContinuousClock.now < deadline, "challenges were left")
        }
        await client.close()
        await sandbox.stop()
    }

    /// Opens as many challenges as the broker lets one process have, and withdraws them.
    private static func challenges(_ client: WireClient) async throws -> Int {
        var open: [String] = []
        for number in 0..<33 {
            do {
                _ = try await client.call(BrokerProtocol.Keychain.Get(service: "s", account: "\(number)"))
                Issue.record("the item was given out")
            } catch let fault as Fault {
                guard let challenge = fault.details.challenge else {
                    #expect(fault.name == .limitExceeded, "\(fault)")
                    break
                }
                open.append(challenge)
            }
        }
        for challenge in open {
            _ = try await client.call(BrokerProtocol.Keychain.Withdraw(challenge: challenge))
        }
        return open.count
    }

    @Test("a cancelled read does not wait for a broker that is silent")
    func silentBroker() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Get": [.silence], "List": [.silence], "Show": [.silence]])
        let keychain = Coffer.Keychain(service: "s", backend: BrokerBackend(paths: paths, patience: patience))
        let calls: [(method: String, call: @Sendable () async throws -> Void)] = [
            ("Get", { _ = try await keychain.bytes(for: "me") }),
            ("List", { _ = try await keychain.list() }),
            ("Show", { _ = try await keychain.attributes(of: "me") }),
        ]
        for (method, call) in calls {
            let reading = Task { try await call() }
            try await Self.until { server.calls(method).count == 1 }
            reading.cancel()
            await refused(.cancelled, "\(method)") { () throws(KeychainError) in try await Check.value(of: reading) }
        }
    }

    @Test("a cancelled change that a silent broker has ends, and says that nobody knows whether it was made")
    func silentBrokerWithAChange() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Set": [.silence], "Apply": [.silence]])
        // The calls outlast the test.
        let backend = BrokerBackend(paths: paths, patience: .seconds(100_000))
        let keychain = Coffer.Keychain(service: "s", backend: backend)
        let calls: [(method: String, call: @Sendable () async throws -> Void)] = [
            ("Set", { _ = try await keychain.set("x", for: "me") }),
            ("Apply", { _ = try await keychain.delete("me") }),
        ]
        for (method, call) in calls {
            let writing = Task { try await call() }
            try await Self.until { server.calls(method).count == 1 }
            writing.cancel()
            let error = await #expect(throws: KeychainError.self) { try await writing.value }
            #expect(error?.code == .outcomeUnknown, "\(method)")
            #expect(error?.advice.contains("nothing was done") == false, "\(method)")
        }
    }

    @Test("a cancelled change that the broker has made all the same is told as made")
    func changeThatIsMade() async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let keychain = Coffer.Keychain(service: "s", prompts: .never, backend: sandbox.backend)
        for number in 0..<50 {
            let writing = Task { () throws(KeychainError) in try await keychain.set("x", for: "\(number)") }
            for _ in 0..<number { await Task.yield() }
            writing.cancel()
            var error: KeychainError?
            do throws(KeychainError) { _ = try await Check.value(of: writing) } catch let failure { error = failure }
            // Either it was stored, or nothing was done.
            #expect(try await keychain.exists("\(number)") == (error == nil), "\(number)")
            if let error { #expect(error.advice == "nothing was done", "\(number)") }
        }
        await sandbox.stop()
    }

    @Test("a cancelled change does not wait for the place of calls that a silent broker keeps, and is not sent later")
    func changeThatWasNotSent() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Get": [.silence], "Apply": [.silence]])
        // The calls outlast the test.
        let backend = BrokerBackend(paths: paths, patience: .seconds(100_000))
        let keychain = Coffer.Keychain(service: "s", backend: backend)
        let readings = (0..<CallLimits.connections).map { number in
            Task { try await keychain.bytes(for: "\(number)") }
        }
        try await Self.until { server.calls("Get").count == CallLimits.connections }
        let deletion = Task { try await keychain.delete("me") }
        await Task.yield()
        deletion.cancel()
        let error = await #expect(throws: KeychainError.self) { try await deletion.value }
        #expect(error?.code == .cancelled && error?.advice == "nothing was done")
        for task in readings {
            task.cancel()
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: task) }
        }
        #expect(server.calls("Apply").isEmpty)
    }

    @Test("a cancelled list does not wait for the place of calls that a silent broker keeps")
    func fullHouse() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Get": [.silence], "List": [.silence]])
        // The calls outlast the test.
        let backend = BrokerBackend(paths: paths, patience: .seconds(100_000))
        let keychain = Coffer.Keychain(service: "s", backend: backend)
        let readings = (0..<CallLimits.connections).map { number in
            Task { try await keychain.bytes(for: "\(number)") }
        }
        try await Self.until { server.calls("Get").count == CallLimits.connections }
        let listing = Task { try await keychain.list() }
        await Task.yield()
        for task in readings {
            task.cancel()
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: task) }
        }
        listing.cancel()
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: listing) }
        #expect(server.calls("List").isEmpty)
    }

    @Test("a change that waits for a place is given up when its task is cancelled, and is never sent")
    func waitingChange() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let mayAnswer = DispatchSemaphore(value: 0)
        let gone = FakeServer.encode(Fault(.notFound))
        let server = try FakeServer(
            path: paths.broker, ["Show": [.parts([gone]) { _, _ in mayAnswer.wait() }], "Lock": [.silence]])
        let keychain = Coffer.Keychain(
            service: "s", backend: BrokerBackend(paths: paths, patience: .seconds(100_000)))
        let others = (0..<CallLimits.connections).map { number in
            Task { _ = try await keychain.attributes(of: "\(number)") }
        }
        try await Self.until { server.calls("Show").count == CallLimits.connections }
        let locking = Task { try await keychain.lock() }
        await Task.yield()
        locking.cancel()
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: locking) }
        // Its place comes now. Who calls later has one after it.
        for _ in 0...CallLimits.connections { mayAnswer.signal() }
        for task in others { await refused(.notFound) { () throws(KeychainError) in try await Check.value(of: task) } }
        await refused(.notFound) { () throws(KeychainError) in _ = try await keychain.attributes(of: "later") }
        #expect(server.calls("Lock").isEmpty)
    }

    @Test("a challenge whose conversation cannot begin is withdrawn")
    func noAuthenticator() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let needed = Fault.Details(challenge: "0123456789abcdef0123456789abcdef", purposes: ["read"])
        let server = try FakeServer(
            path: paths.broker,
            ["Get": [.fault(.authenticationRequired, needed)], "Withdraw": [.answer(Wire.Withdraw.Reply())]])
        let keychain = Coffer.Keychain(
            service: "s", prompts: .handler { _ in nil }, backend: BrokerBackend(paths: paths))
        await refused(.authenticatorUnreachable) { () throws(KeychainError) in _ = try await keychain.bytes(for: "a") }
        try await Self.until { server.calls("Withdraw").count == 1 }
        #expect(try server.calls("Withdraw")[0].parameters(Wire.Withdraw.self)?.challenge == needed.challenge)
    }

    @Test("a call that is cancelled does not wait until its challenge is withdrawn")
    func withdrawalGoesOn() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let needed = Fault.Details(challenge: "0123456789abcdef0123456789abcdef", purposes: ["read"])
        let mayAnswer = DispatchSemaphore(value: 0)
        let answer = FakeServer.encode(VarlinkReply(Wire.Withdraw.Reply()))
        let server = try FakeServer(
            path: paths.broker,
            [
                "Get": [.fault(.authenticationRequired, needed)],
                "Withdraw": [.parts([answer]) { _, _ in mayAnswer.wait() }],
            ])
        let backend = BrokerBackend(paths: paths, patience: .seconds(100_000))
        let keychain = Coffer.Keychain(service: "s", prompts: .never, backend: backend)
        let hasEnded = Mutex(false)
        let reading = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await keychain.bytes(for: "a")
        }
        try await Self.until { server.calls("Withdraw").count == 1 }
        #expect(!hasEnded.withLock { $0 })
        reading.cancel()
        try await Self.until { hasEnded.withLock { $0 } }
        mayAnswer.signal()
    }

    @Test("a change that was sent tells what came of it, if that is known soon after the cancellation")
    func sentChange() async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let keychain = Coffer.Keychain(service: "s", prompts: .never, backend: sandbox.backend)
        for round in 0..<20 {
            let storing = Task { _ = try await keychain.set("x", for: "\(round)") }
            for _ in 0..<round { await Task.yield() }
            storing.cancel()
            do throws(KeychainError) {
                try await Check.value(of: storing)
                #expect(try await keychain.exists("\(round)"))
            } catch {
                #expect(error.code == .cancelled)
                // It was never sent.
                #expect(try await keychain.exists("\(round)") == false)
            }
        }
        await sandbox.stop()
    }

    @Test("a change whose answer does not come may have been made, and the error says so")
    func silentChange() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        _ = try FakeServer(path: paths.broker, ["Set": [.close, .silence], "Show": [.close]])
        func keychain(_ wait: Duration) -> Coffer.Keychain {
            Coffer.Keychain(service: "s", backend: BrokerBackend(paths: paths, patience: wait))
        }
        // A broker that is gone is noticed at once. Only one that is silent takes the whole wait.
        let ends: [(code: KeychainError.Code, wait: Duration)] = [
            (.brokerUnreachable, patience), (.brokerSilent, .seconds(2)),
        ]
        for (code, wait) in ends {
            let keychain = keychain(wait)
            do throws(KeychainError) {
                try await keychain.set("x", for: "me")
                Issue.record("the call succeeded")
            } catch {
                #expect(error.code == code)
                #expect(error.message.contains("may have been made"), "\(error)")
            }
        }
        do throws(KeychainError) { _ = try await keychain(patience).attributes(of: "me") } catch {
            #expect(!error.message.contains("may have been made"), "\(error)")
        }
    }

    @Test("a call that is cancelled while it waits for its turn at the agent asks nobody else")
    func waitsForAgent() throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let agent = try FakeServer(path: folder.path + "/agent", ["WaitForTurn": [.silence]])
        let passed = Authentication.Step(message: nil, done: true)
        let authenticator = try FakeServer(path: paths.authenticator, ["Begin": [.answer(passed)]])
        let stop = AgentStop()
        let limit = ContinuousClock.now + patience
        Thread.detachNewThread {
            while agent.calls("WaitForTurn").isEmpty, ContinuousClock.now < limit { usleep(5000) }
            stop.stop()
        }
        let prompter = AgentPrompter(
            client: AgentClient(path: folder.path + "/agent", user: geteuid()), display: nil,
            fallback: SilentPrompter())
        var code: KeychainError.Code?
        do throws(KeychainError) {
            try prompter.pass("c1", Authenticator(paths: paths, caller: geteuid()), stop)
        } catch { code = error.code }
        #expect(code == .cancelled)
        #expect(authenticator.calls("Begin").isEmpty)
    }

    @Test("a sandbox ends all its programs, and removes its folder")
    func sandboxEnds() async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let leader = sandbox.leader
        let folder = URL(filePath: sandbox.paths.broker).deletingLastPathComponent().path
        #expect(try Self.session(of: leader).count >= 3)
        await sandbox.stop()
        try await Self.until { try Self.session(of: leader).isEmpty }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    /// The processes of a session that have not ended.
    private static func session(of leader: Int32) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
            // A process may end while it is looked at.
            guard let pid = Int32(name), let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else {
                return nil
            }
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 3, fields[0] != "Z", fields[0] != "X", fields[3] == "\(leader)" else { return nil }
            return pid
        }
    }

    private static func until(_ isTrue: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + patience
        while try !isTrue() {
            try #require(ContinuousClock.now < deadline, "it did not come about")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
