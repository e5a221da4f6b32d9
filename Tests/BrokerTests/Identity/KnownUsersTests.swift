import Dispatch
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker

/// How long the name service's word about a user counts, and how many wait for it.
@Suite(.timeLimit(.minutes(30)))
struct KnownUsersTests {
    /// A name service whose word changes, and which can be made to wait.
    private final class Names: Sendable {
        private struct State {
            var unknown: Set<UInt32> = []
            var asked: [UInt32: Int] = [:]
            var running = 0
            var most = 0
        }

        private let state = Mutex(State())

        func forget(_ uid: UInt32) { state.withLock { _ = $0.unknown.insert(uid) } }
        func learn(_ uid: UInt32) { state.withLock { _ = $0.unknown.remove(uid) } }
        func count(_ uid: UInt32) -> Int { state.withLock { $0.asked[uid] ?? 0 } }
        var running: Int { state.withLock { $0.running } }
        var most: Int { state.withLock { $0.most } }

        /// - Parameter gate: what each question waits for.
        func lookUp(_ uid: UInt32, _ gate: DispatchSemaphore? = nil) -> Bool {
            state.withLock { state in
                state.asked[uid, default: 0] += 1
                state.running += 1
                state.most = max(state.most, state.running)
            }
            // This is the asking thread's own time. Nothing else runs on it.
            if let gate { _ = gate.wait(timeout: .now() + .seconds(600)) }
            return state.withLock { state in
                state.running -= 1
                return !state.unknown.contains(uid)
            }
        }
    }

    private let clock = TestClock()
    private let names = Names()

    private func users(_ gate: DispatchSemaphore? = nil) -> KnownUsers {
        KnownUsers(exempt: [0], clock: clock.clock) { [names] in names.lookUp($0, gate) }
    }

    private func ask(_ users: KnownUsers, _ uid: UInt32) async -> KnownUsers.Answer {
        await withCheckedContinuation { continuation in users.ask(uid) { continuation.resume(returning: $0) } }
    }

    @Test("an old word still admits a known user, and is asked for again beside that; a very old one does not")
    func known() async throws {
        let users = users()
        #expect(await ask(users, 1) == .known)
        clock.advance(by: AccountLimits.fresh - .milliseconds(1))
        #expect(await ask(users, 1) == .known)
        clock.advance(by: .milliseconds(1))
        #expect(await ask(users, 1) == .known)
        try await until("it is asked again") { names.count(1) == 2 }
        // An account that is gone is admitted until its word is too old.
        let other = self.users()
        #expect(await ask(other, 2) == .known)
        names.forget(2)
        clock.advance(by: AccountLimits.memory - .milliseconds(1))
        #expect(await ask(other, 2) == .known)
        let last = self.users()
        #expect(await ask(last, 3) == .known)
        names.forget(3)
        clock.advance(by: AccountLimits.memory)
        #expect(await ask(last, 3) == .unknown)
    }

    @Test("an account that is made is known a moment later, and not at once")
    func unknown() async {
        let users = users()
        names.forget(1)
        #expect(await ask(users, 1) == .unknown)
        names.learn(1)
        clock.advance(by: AccountLimits.unknownMemory - .milliseconds(1))
        #expect(await ask(users, 1) == .unknown)
        #expect(names.count(1) == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await ask(users, 1) == .known)
    }

    @Test(
        "so many strange numbers wait together, so many questions run at once, and all places are free again afterwards"
    )
    func waiting() async throws {
        let gate = DispatchSemaphore(value: 0)
        let users = users(gate)
        let answers = Mutex<[KnownUsers.Answer]>([])
        let (count, threads) = (AccountLimits.waiting, AccountLimits.workers - 1)
        for uid in 1...UInt32(count) { users.ask(uid) { answer in answers.withLock { $0.append(answer) } } }
        #expect(answers.withLock { $0 }.isEmpty)
        users.ask(1000) { answer in answers.withLock { $0.append(answer) } }
        #expect(answers.withLock { $0 } == [.tooMany])
        // Coffer's own accounts wait for nobody.
        #expect(await ask(users, 0) == .known)
        try await until("the questions run") { names.running >= threads }
        for _ in 0...count { gate.signal() }
        try await until("all are answered") { answers.withLock { $0.count } == count + 1 }
        #expect(answers.withLock { $0.count { $0 == .known } } == count)
        #expect(names.most == threads)
        #expect(await ask(users, 1000) == .known)
        for uid in 1...UInt32(count) { #expect(names.count(uid) == 1) }
    }

    @Test("all connections of a burst are served after one question, and leave half of the room to others")
    func burst() async throws {
        let gate = DispatchSemaphore(value: 0)
        let users = users(gate)
        let answers = Mutex<[KnownUsers.Answer]>([])
        let (half, few) = (AccountLimits.waiting / 2, AccountLimits.few)
        for _ in 0..<half { users.ask(1) { answer in answers.withLock { $0.append(answer) } } }
        #expect(answers.withLock { $0 }.isEmpty)
        users.ask(1) { answer in answers.withLock { $0.append(answer) } }
        for _ in 0..<few { users.ask(2) { answer in answers.withLock { $0.append(answer) } } }
        #expect(answers.withLock { $0 } == [.tooMany])
        let told = #expect(throws: Fault.self) { try ConnectionAdmission.check(.tooMany) }
        #expect(told?.details.message?.contains("too slow") == true)
        for _ in 0..<2 { gate.signal() }
        try await until("all are answered") { answers.withLock { $0.count } == half + few + 1 }
        #expect(answers.withLock { $0.count { $0 == .known } } == half + few)
        #expect(names.count(1) == 1 && names.count(2) == 1)
    }

    @Test("a number that was known once, or owns a vault, waits for no strange one")
    func first() async throws {
        let fixture = try VaultFixture()
        _ = try await fixture.make(2)
        let served = KeychainInterface(core: try fixture.core())
        #expect(served.ownsVault(uid: 2) && !served.ownsVault(uid: 3))
        let gate = DispatchSemaphore(value: 0)
        let users = KnownUsers(exempt: [], clock: clock.clock) { [names] uid in
            names.lookUp(uid, uid < 1000 ? nil : gate)
        }
        #expect(await ask(users, 1) == .known)
        clock.advance(by: AccountLimits.memory)
        let count = AccountLimits.waiting
        for uid in 0..<UInt32(count) { users.ask(1000 + uid) { _ in } }
        #expect(await ask(users, 3) == .tooMany)
        #expect(await ask(users, 1) == .known)
        #expect(await ConnectionAdmission.standing(of: 2, users, served) == .known)
        for _ in 0..<count { gate.signal() }
    }

    @Test(
        "calls that wait for the name service take so many threads, of one user and of all, and another user's does not wait"
    )
    func questions() async throws {
        let questions = UserTurns(most: AccountLimits.questions, mostOfOne: AccountLimits.questionsOfOne)
        let gate = DispatchSemaphore(value: 0)
        let (each, all) = (AccountLimits.questionsOfOne, AccountLimits.questions)
        /// Begins calls that wait for the gate.
        func begin(_ users: Range<UInt32>) -> [Task<Bool, any Error>] {
            users.flatMap { uid in
                (0..<2 * each).map { _ in
                    Task { [names] in
                        try await questions.run(for: uid) { () throws(Fault) in names.lookUp(uid, gate) }
                    }
                }
            }
        }
        let some = begin(0..<2)
        try await until("as many as may run do") { names.running >= 2 * each }
        let quick = Task { try await questions.run(for: 1000) { () throws(Fault) in true } }
        #expect(try await quick.value)
        for _ in some { gate.signal() }
        for task in some { #expect(try await task.value) }
        #expect(names.most == 2 * each)
        let many = begin(0..<UInt32(2 * all / each))
        try await until("as many as may run do") { names.running >= all }
        for _ in many { gate.signal() }
        for task in many { #expect(try await task.value) }
        #expect(names.most == all)
    }

    @Test("where too many are remembered the unknown ones are forgotten first, and all if that is not enough")
    func entries() async {
        let most = UInt32(AccountLimits.entries)
        let mixed = users()
        for uid in 2...most { names.forget(uid) }
        for uid in 1...most { _ = await ask(mixed, uid) }
        #expect(await ask(mixed, 2) == .unknown && names.count(2) == 1)
        #expect(await ask(mixed, most + 1) == .known)
        #expect(await ask(mixed, 1) == .known && names.count(1) == 1)
        #expect(await ask(mixed, 2) == .unknown && names.count(2) == 2)
        for uid in 2...most { names.learn(uid) }
        let known = users()
        for uid in 1...most { _ = await ask(known, uid) }
        #expect(await ask(known, 1) == .known && names.count(1) == 2)
        #expect(await ask(known, most + 1) == .known)
        #expect(await ask(known, 1) == .known && names.count(1) == 3)
    }
}
