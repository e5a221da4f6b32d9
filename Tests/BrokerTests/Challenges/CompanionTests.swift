import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Which requests one prompt may answer, and how many a user may have open.
struct CompanionTests {
    private let clock = TestClock()
    private let caller = Caller(uid: 1000, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1)

    private func store() -> ChallengeStore {
        ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
    }

    private func issue(
        _ store: ChallengeStore, _ account: String = "a", to other: Caller? = nil, owner: Owner = .user(1000),
        kinds: [AuthorizationKind] = [.presence], unlocks: Bool = false
    ) throws -> Challenge.ID {
        let ways = [kinds.map { Challenge.Authorization(role: .presence, kind: $0, point: nil) }]
        let request = Challenge.Request.use(try .reading("s", account, ways), unlocks: unlocks)
        return try issue(store, request, account, to: other, owner: owner)
    }

    private func issue(
        _ store: ChallengeStore, _ request: Challenge.Request, _ reason: String, to other: Caller? = nil,
        owner: Owner = .user(1000)
    ) throws -> Challenge.ID {
        let vault = try #require(VaultID(bytes: [UInt8](repeating: 1, count: 16)))
        return try store.issue(request, to: other ?? caller, owner: owner, vault: vault, reason: reason)
    }

    private func companions(
        _ store: ChallengeStore, _ id: Challenge.ID, connection: UInt64
    ) throws(ChallengeRefusal) -> [Challenge] {
        store.companions(of: try store.permit(.companions, id, connection: connection))
    }

    private func described(_ store: ChallengeStore) throws -> Challenge.ID {
        let id = try issue(store, "own")
        _ = try store.describe(id, uid: 1000, process: caller.process, connection: 9)
        return id
    }

    @Test("only requests that the very same proof of the same process answers are companions")
    func alike() throws {
        let store = store()
        let own = try described(store)
        let companion = try issue(store, "companion")
        _ = try issue(
            store, "later process",
            to: Caller(uid: 1000, process: ProcessIdentity(pid: 7, startTime: 71), connection: 2)
        )
        _ = try issue(
            store, "other process",
            to: Caller(uid: 1000, process: ProcessIdentity(pid: 8, startTime: 70), connection: 3)
        )
        _ = try issue(store, "other user", to: Caller(uid: 1001, process: caller.process, connection: 4))
        _ = try issue(store, "other owner", owner: .group(5))
        _ = try issue(store, "other kind", kinds: [.passcode])
        _ = try issue(store, "more kinds", kinds: [.presence, .passcode])
        _ = try issue(store, "other purpose", kinds: [.presence], unlocks: true)
        let found = try companions(store, own, connection: 9)
        #expect(found.map(\.id) == [companion])
        // One that an authenticator is busy with is still one; one that was granted is not.
        _ = try store.describe(companion, uid: 1000, process: caller.process, connection: 10)
        #expect(try companions(store, own, connection: 9).count == 1)
        _ = try store.begin(companion, 0, connection: 10)
        try store.finish(companion, 0, connection: 10, agreement: nil)
        #expect(try companions(store, own, connection: 9).isEmpty)
    }

    @Test("only requests to read are companions: whatever else is asked for is asked for by itself")
    func purposes() throws {
        for request in try Challenge.Request.oneOfEach(made: true) {
            let store = store()
            let own = try issue(store, request, "own")
            _ = try store.describe(own, uid: 1000, process: caller.process, connection: 9)
            _ = try issue(store, request, "companion")
            // A read of several items has a prompt of its own.
            let isReading = if case .use(let use, _) = request { use.deed == .read } else { false }
            #expect(try companions(store, own, connection: 9).count == (isReading ? 1 : 0), "\(request.purposes)")
        }
    }

    @Test("a read of several items is nobody's companion, and each counts as one of the user's eight")
    func joint() throws {
        let store = store()
        let me = Caller(uid: 1000, process: try TestAuthenticator.thisProcess(), connection: 1)
        let own = try issue(store, "own", to: me)
        _ = try store.describe(own, uid: 1000, process: me.process, connection: 9)
        let item = try Challenge.Subject.sample("s", "a")
        let way = [Challenge.Authorization(role: .presence, kind: .presence, point: [4])]
        func request(_ other: String) throws -> Challenge.Request {
            let read = try Challenge.JointRead(
                [item, .sample("s", other)], reason: nil, wanted: [(item.item, [way])])
            return .readAll(read, unlocks: false)
        }
        for number in 0..<7 { _ = try issue(store, try request("\(number)"), "\(number)", to: me) }
        let last = try request("7")
        #expect(throws: Fault.self) { try issue(store, last, "7", to: me) }
        #expect(try companions(store, own, connection: 9).isEmpty)
    }

    @Test("a former value has a prompt of its own, also if it is asked for second")
    func former() throws {
        let ways = [[Challenge.Authorization(role: .presence, kind: .presence, point: nil)]]
        var subject = try Challenge.Subject.sample("s", "former")
        subject.isFormer = true
        let former = Challenge.Request.use(.init(deed: .read, subject, ways), unlocks: false)
        let present = Challenge.Request.use(try .reading("s", "present", ways), unlocks: false)
        for (first, second) in [(former, present), (present, former)] {
            let store = store()
            let own = try issue(store, first, "own")
            _ = try store.describe(own, uid: 1000, process: caller.process, connection: 9)
            _ = try issue(store, second, "other")
            #expect(try companions(store, own, connection: 9).isEmpty)
        }
    }

    @Test("nobody else is told of them")
    func private_() throws {
        let store = store()
        let own = try described(store)
        #expect(throws: ChallengeRefusal.outOfOrder) { try companions(store, own, connection: 10) }
        let issued = try issue(store, "b")
        #expect(throws: ChallengeRefusal.outOfOrder) { try companions(store, issued, connection: 9) }
    }

    @Test("those that one prompt answers count as one, up to what a person can be shown; a user has sixty-four at most")
    func limits() throws {
        let store = store()
        // These processes live. If room is needed, the challenges of dead ones are dropped.
        let own = Caller(uid: 1000, process: try TestAuthenticator.thisProcess(), connection: 1)
        for number in 0..<32 { _ = try issue(store, "item-\(number)", to: own) }
        #expect(throws: Fault.self) { try issue(store, "one more", to: own) }
        // The user's other programs, seven of them, can still ask.
        let others = try (0..<8).map { _ in try Sleeper() }
        for other in others.dropLast() { _ = try issue(store, to: other.caller) }
        #expect(throws: Fault.self) { try issue(store, to: others[7].caller) }
        var issued = 39
        // The test looks for the point at which no room is left.
        for number in 0..<32 where (try? issue(store, "item-\(number)", to: others[0].caller)) != nil { issued += 1 }
        #expect(issued == 64)
    }

    /// A process that does nothing until its value ends.
    private final class Sleeper {
        private let process: Subprocess

        init() throws { process = try Subprocess("/usr/bin/sleep", ["infinity"]) }

        // If SIGKILL does not end a process, a test cannot end it either.
        deinit { try? process.end() }

        var caller: Caller {
            get throws {
                Caller(uid: 1000, process: try ProcessIdentity(observing: process.pid), connection: 1)
            }
        }
    }

    @Test("the broker's start, a lock of an open vault and one of a vault that was never asked for are all locks")
    func locks() throws {
        let before = BootTime.milliseconds
        let times = LockTimes()
        #expect(times.last(of: .user(1)) >= before)
        func wait() { while BootTime.milliseconds <= max(times.last(of: .user(1)), times.last(of: .user(2))) {} }
        wait()
        let start = times.last(of: .user(2))
        times.note(.user(1))
        #expect(times.last(of: .user(1)) > start)
        #expect(times.last(of: .user(2)) == start)
        wait()
        times.noteAll()
        #expect(times.last(of: .user(2)) > start)
    }

    @Test("a vault that nobody ever asked for is locked all the same, as far as an answer's reuse goes")
    func neverAsked() async throws {
        let folder = try TemporaryFolder()
        let dependencies = VaultDependencies(
            directory: folder.path,
            registry: Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser),
            sealer: SealerService(SoftwareSealer(directory: folder.path), patience: patience),
            challenges: store())
        let vaultStore = VaultStore(dependencies: dependencies)
        let locks = [
            { await vaultStore.lock(.user(7)) }, { vaultStore.lockAll() },
            { vaultStore.vaultActor(of: .user(7)).lock() },
        ]
        for lock in locks {
            let before = vaultStore.lockTimes.last(of: .user(7))
            while BootTime.milliseconds <= before {}
            await lock()
            #expect(vaultStore.lockTimes.last(of: .user(7)) > before)
        }
    }

    @Test("the authenticator is told when the vault was locked")
    func told() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let line = try broker.authenticator.connect()
        let me = try TestAuthenticator.thisProcess()
        let uid = OwnProcess.effectiveUser
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let get = Keychain.Get(service: "s", account: "a", unlock: true)
        var last: Int64 = 0
        for _ in 0..<2 {
            let id = try await challenge { try await client.call(get) }
            let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, me))
            #expect(facts.lastLock > last && facts.lastLock <= BootTime.milliseconds)
            last = facts.lastLock
            while BootTime.milliseconds <= last {}
            _ = try await client.call(Keychain.Lock())
        }
        await broker.stop()
    }

    @Test("a renewal of all keys reads no more than one prompt has room to name")
    func renewal() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for letter in ["a", "b", "c"] {
            _ = try await client.call(
                Keychain.Set(
                    service: String(repeating: letter, count: 1000), account: "a", value: someValue, access: .presence))
        }
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(
                id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess()))
        // Written as escapes they could have six characters a byte.
        #expect(facts.items?.count == 2)
        #expect(facts.authorizations.map(\.kind) == ["unlock", "presence", "presence"])
        await broker.stop()
    }

    @Test("the log says how the person was recognised")
    func means() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let get = Keychain.Get(service: "s", account: "a")
        for means in ["reuse", "shared", nil, "nonsense"] {
            let id = try await challenge { try await client.call(get) }
            let line = try broker.authenticator.connect()
            let facts = try await line.call(
                TestAuthenticator.describe(
                    id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess()))
            let question = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
            let signature = try broker.authenticator.signature(
                for: question, kind: facts.authorizations[0].kind, owner: .user(OwnProcess.effectiveUser))
            _ = try await line.call(
                BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature, means: means))
            var repeated = get
            repeated.challenge = id
            _ = try await client.call(repeated)
        }
        let records = try await client.call(Keychain.Log()).records.filter {
            $0.event == "read" && $0.outcome == "done"
        }
        #expect(
            records.map(\.detail) == [
                "answered earlier in this terminal (coffer auth)",
                "answered together with other requests of the program", nil, nil,
            ])
        await broker.stop()
    }
}
