import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// When a challenge is over, who is told of it, and what ends with it.
struct ChallengeTimeTests {
    private let clock = TestClock()
    private let caller: Caller

    /// The callers' processes live. Challenges of dead ones are dropped where room is needed.
    init() throws { caller = Caller(uid: 1000, process: try TestAuthenticator.thisProcess(), connection: 1) }

    private func store(_ other: BrokerClock? = nil) -> ChallengeStore {
        ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: other ?? clock.clock)
    }

    /// A clock on which no timer ever fires, as on a machine that is busy.
    private var lateClock: BrokerClock { BrokerClock(now: clock.clock.now) { _, _ in } }

    private func issue(
        _ store: ChallengeStore, _ request: Challenge.Request = .vault(.unlock), to other: Caller? = nil,
        owner: Owner = .user(1000), reason: String? = nil, secrets: SecretAllowance? = nil
    ) throws -> Challenge.ID {
        try store.issue(
            request, to: other ?? caller, owner: owner, vault: VaultID.random(), reason: reason, secrets: secrets)
    }

    private func describe(_ store: ChallengeStore, _ id: Challenge.ID, connection: UInt64 = 9) throws -> Challenge {
        try store.describe(id, uid: 1000, process: caller.process, connection: connection)
    }

    /// The reasons of the challenges about an owner's vault that have ended without an answer, and why they have.
    private func told(_ store: ChallengeStore, of owner: Owner = .user(1000)) -> [String] {
        store.ended.take(of: owner).records.map { "\($0.reason ?? "-") \($0.outcome)" }
    }

    // MARK: Time

    @Test("what nobody answers is forgotten at its time, and not a moment before")
    func forgotten() throws {
        let store = store()
        let id = try issue(store)
        clock.advance(by: .milliseconds(59_999))
        #expect(store.isOpen(id) && store.hasOpen(of: caller.process))
        clock.advance(by: .milliseconds(1))
        #expect(throws: ChallengeRefusal.unknown) { try describe(store, id) }
    }

    @Test("each is forgotten at its own time, however many came before")
    func eachInTurn() throws {
        let store = store()
        let first = try issue(store)
        clock.advance(by: .seconds(30))
        let second = try issue(store)
        clock.advance(by: .seconds(30))
        #expect(throws: ChallengeRefusal.unknown) { try describe(store, first) }
        #expect(store.isOpen(second))
        clock.advance(by: .seconds(30))
        #expect(throws: ChallengeRefusal.unknown) { try describe(store, second) }
        let third = try issue(store)
        clock.advance(by: .seconds(60))
        #expect(throws: ChallengeRefusal.unknown) { try describe(store, third) }
    }

    @Test("what ends shortly after another is forgotten a second after it, so that one timer serves many")
    func shortlyAfter() throws {
        let store = store()
        _ = try issue(store)
        clock.advance(by: .milliseconds(500))
        let id = try issue(store)
        clock.advance(by: .milliseconds(59_500))
        clock.advance(by: .milliseconds(999))
        #expect(throws: ChallengeRefusal.expired) { try describe(store, id) }
        clock.advance(by: .milliseconds(1))
        #expect(throws: ChallengeRefusal.unknown) { try describe(store, id) }
    }

    @Test("a login that nobody signs for is forgotten sooner, and is nobody's question")
    func login() throws {
        let store = store()
        let id = try store.report(of: 1000, by: caller, vault: VaultID.random())
        clock.advance(by: .milliseconds(14_999))
        #expect(store.isOpen(id))
        clock.advance(by: .milliseconds(1))
        #expect(throws: ChallengeRefusal.unknown) { _ = try store.begin(id, 0, connection: 1) }
        #expect(told(store).isEmpty)
    }

    @Test("at the very end of its time a challenge is over, whether it was wiped or not")
    func theEnd() throws {
        let store = store(lateClock)
        let reading = Challenge.Request.use(try .reading("s", "a", []), unlocks: false)
        let own = try describe(store, issue(store, reading))
        let other = try issue(store, reading)
        clock.advance(by: .milliseconds(59_999))
        #expect(store.companions(of: own).map(\.id) == [other])
        #expect(store.isOpen(other) && store.hasOpen(of: caller.process))
        clock.advance(by: .milliseconds(1))
        #expect(store.companions(of: own).isEmpty)
        #expect(!store.isOpen(other) && !store.hasOpen(of: caller.process))
        #expect(throws: ChallengeRefusal.expired) { try describe(store, other) }
    }

    @Test("one timer serves those that end together, and another one what ends sooner")
    func timers() throws {
        let timers = Mutex<[Duration]>([])
        let now = ContinuousClock.now
        let store = store(BrokerClock(now: { now }, after: { time, _ in timers.withLock { $0.append(time) } }))
        for _ in 0..<3 { _ = try issue(store) }
        #expect(timers.withLock { $0 } == [.seconds(60)])
        _ = try store.report(of: 1000, by: caller, vault: VaultID.random())
        #expect(timers.withLock { $0 } == [.seconds(60), .seconds(15)])
    }

    // MARK: The log

    @Test("the log is told of each that ends without an answer, and why")
    func ended() throws {
        let store = store()
        let budgets = UserBudgets.usual
        func issueWithSecrets() throws -> Challenge.ID {
            let allowance = SecretAllowance(budgets, for: 1000)
            try allowance.take(SecretAllowance.key)
            return try issue(store, reason: "first", secrets: allowance)
        }
        _ = try issueWithSecrets()
        #expect(budgets.held(.secrets, by: 1000) > 0)
        clock.advance(by: .seconds(60))
        #expect(budgets.held(.secrets, by: 1000) == 0)
        let asked = try issue(store, reason: "asked")
        _ = try describe(store, asked)
        let waiting = try issue(store, owner: .group(5), reason: "waiting")
        // Another authenticator's end ends nothing.
        store.connectionEnded(8)
        #expect(store.isOpen(asked))
        store.connectionEnded(9)
        #expect(!store.isOpen(asked) && store.isOpen(waiting))
        store.dropAll(about: .group(5))
        #expect(told(store) == ["first expired", "asked cancelled"])
        #expect(told(store, of: .group(5)) == ["waiting locked"])
    }

    @Test("each owner's ended questions wait apart, the first so many with their time, and the others are counted")
    func apart() throws {
        let store = store()
        let first = Mutex<[Owner]>([])
        store.ended.onFirst { owner in first.withLock { $0.append(owner) } }
        let many = (0..<LogLimits.refusals + 5).map { number in
            Challenge(
                id: "\(number)", uid: 1000, owner: .user(1000), process: caller.process, vault: nil,
                reason: "\(number)", enrolled: [], life: ChallengeLife(.vault(.unlock)), expires: .now)
        }
        let vault = try VaultID.random()
        let (busy, other) = (Owner.user(1000), Owner.user(1001))
        let before = SystemClock.now()
        for var one in many {
            one.vault = vault
            store.ended.add([one], "cancelled")
        }
        let theirs = Caller(uid: 1001, process: caller.process, connection: 2)
        let id = try issue(store, to: theirs, owner: other, reason: "theirs")
        store.end(id, "password")
        let after = SystemClock.now()
        #expect(first.withLock { $0 } == [busy, other])
        let waiting = store.ended.take(of: busy)
        #expect(waiting.records.map(\.reason) == (0..<LogLimits.refusals).map { "\($0)" })
        #expect(waiting.records.allSatisfy { (before...after).contains($0.time) })
        #expect(waiting.counted == 5 && waiting.lastCounted == .unlock)
        #expect(told(store, of: other) == ["theirs password"])
        #expect(told(store).isEmpty)
        // Without a vault there is no log. With one, the log has to be told anew.
        var last = many[0]
        store.ended.add([last], "cancelled")
        #expect(first.withLock { $0 } == [busy, other])
        last.vault = vault
        store.ended.add([last], "cancelled")
        #expect(first.withLock { $0 } == [busy, other, busy])
    }

    @Test("what the broker ends itself is told, too: with other roots, by a failed call, and when it stops")
    func endedByTheBroker() throws {
        let store = store()
        let kept = try issue(store, reason: "kept")
        _ = try issue(store, reason: "opening")
        store.dropUnlocking(.user(1000), but: kept)
        store.end(kept, "tpm")
        store.end(kept, "tpm")
        _ = try issue(store, reason: "open")
        store.dropAll()
        #expect(told(store) == ["opening cancelled", "kept tpm", "open cancelled"])
    }

    @Test("the next question ends what is over, what it repeats too often, and what dead programs have asked")
    func endedByTheNext() throws {
        let store = ChallengeStore(limits: .init(openPerUser: 1, same: 2, life: .seconds(60)), clock: lateClock)
        _ = try issue(store, reason: "late")
        clock.advance(by: .seconds(61))
        var same: [Challenge.ID] = []
        for number in 0..<3 {
            same.append(try issue(store, reason: "same \(number)"))
            clock.advance(by: .milliseconds(1))
        }
        #expect(same.map(store.isOpen) == [false, true, true])
        // Nothing more fits, because this program lives. Another user's dead program is that user's.
        let dead = Caller(uid: 1001, process: ProcessIdentity(pid: caller.process.pid, startTime: 1), connection: 2)
        let others = try issue(store, to: dead, owner: .user(1001), reason: "dead")
        #expect(throws: Fault.self) { try issue(store, .vault(.bind)) }
        #expect(store.isOpen(others))
        let living = Caller(uid: 1001, process: caller.process, connection: 3)
        _ = try issue(store, .vault(.bind), to: living, owner: .user(1001))
        #expect(!store.isOpen(others))
        #expect(told(store) == ["late expired", "same 0 cancelled"])
        #expect(told(store, of: .user(1001)) == ["dead cancelled"])
    }

    // MARK: Ends

    @Test("a lock ends what is asked about that vault, and a user's own lock what they are asked about groups'")
    func locks() throws {
        let store = store()
        let other = Caller(uid: 1001, process: caller.process, connection: 2)
        let root = Caller(uid: 0, process: caller.process, connection: 3)
        let (own, kept) = (try issue(store), try issue(store))
        let group = try issue(store, owner: .group(5))
        let members = try issue(store, to: other, owner: .group(5))
        let theirs = try issue(store, to: other, owner: .user(1001))
        let service = try issue(store, to: root, owner: .user(7))
        let all = [own, kept, group, members, theirs, service]
        store.dropAll(about: .user(1000), but: kept)
        #expect(all.map(store.isOpen) == [false, true, false, true, true, true])
        // Root's own vault is not that of the service that root is asked about.
        store.dropAll(about: .user(0))
        #expect(all.map(store.isOpen) == [false, true, false, true, true, true])
        store.dropAll(about: .group(5))
        #expect(all.map(store.isOpen) == [false, true, false, false, true, true])
        store.dropAll(about: .user(7))
        #expect(all.map(store.isOpen) == [false, true, false, false, true, false])
        store.drop(theirs)
        #expect(!store.isOpen(theirs) && store.isOpen(kept))
        store.dropAll()
        #expect(!store.isOpen(kept) && !store.hasOpen(of: caller.process))
    }

    @Test("another root in use ends what would release the former one, and nothing else")
    func roots() throws {
        let store = store()
        let reading = Challenge.Request.use(try .reading("s", "a", []), unlocks: false)
        let (kept, opening) = (try issue(store), try issue(store))
        let read = try issue(store, reading)
        let binding = try issue(store, .vault(.bind))
        let others = try issue(store, to: Caller(uid: 1001, process: caller.process, connection: 2), owner: .user(1001))
        store.dropUnlocking(.user(1000), but: kept)
        #expect([kept, opening, read, binding, others].map(store.isOpen) == [true, false, true, false, true])
    }

    @Test("only the process that asked takes its question back, about the same vault, and only before anybody is asked")
    func withdrawn() throws {
        let store = store()
        let id = try issue(store)
        let others = [
            Caller(uid: 1001, process: caller.process, connection: 2),
            Caller(uid: 1000, process: ProcessIdentity(pid: caller.process.pid, startTime: 1), connection: 3),
        ]
        for other in others {
            #expect(throws: ChallengeRefusal.anothersProcess) {
                _ = try store.withdraw(id, by: other, about: .user(1000))
            }
        }
        #expect(throws: ChallengeRefusal.anothersProcess) {
            _ = try store.withdraw(id, by: caller, about: .group(1000))
        }
        #expect(try store.withdraw(id, by: caller, about: .user(1000)).id == id)
        #expect(throws: ChallengeRefusal.unknown) { _ = try store.withdraw(id, by: caller, about: .user(1000)) }
        let asked = try issue(store)
        _ = try describe(store, asked)
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try store.withdraw(asked, by: caller, about: .user(1000)) }
        #expect(store.isOpen(asked))
    }

    @Test("a call that comes before the answer takes nothing from the question, whose end is told")
    func early() throws {
        let store = store()
        let id = try issue(store, reason: "shown")
        for isAsked in [false, true] {
            if isAsked { _ = try describe(store, id) }
            #expect(throws: ChallengeRefusal.notGranted) { _ = try store.redeem(id, by: caller) }
            #expect(store.isOpen(id))
        }
        store.connectionEnded(9)
        #expect(told(store) == ["shown cancelled"])
        #expect(throws: ChallengeRefusal.unknown) { _ = try store.redeem(id, by: caller) }
    }

    @Test("a wrong password is forgiven in the store once, and only where a signature was begun")
    func retries() throws {
        let store = store()
        let id = try issue(store)
        _ = try describe(store, id)
        #expect(!store.retry(id, 0, connection: 9))
        _ = try store.begin(id, 0, connection: 9)
        #expect(!store.retry(id, 0, connection: 8))
        #expect(store.retry(id, 0, connection: 9))
        _ = try store.begin(id, 0, connection: 9)
        #expect(!store.retry(id, 0, connection: 9))
        // A signature that is not among those asked for is none.
        for index in [-1, 1, 7] {
            #expect(throws: ChallengeRefusal.outOfOrder) { _ = try store.begin(id, index, connection: 9) }
            #expect(throws: ChallengeRefusal.outOfOrder) {
                try store.finish(id, index, connection: 9, agreement: nil)
            }
        }
    }
}
