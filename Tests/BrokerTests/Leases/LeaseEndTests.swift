import Authorization
import BrokerProtocol
import Item
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Platform
@testable import Vault

/// How a lease ends without anybody's call, what a change leaves of it, and how many there are.
struct LeaseEndTests {
    private let clock = TestClock()
    private let process: ProcessIdentity
    private let vault: VaultID

    init() throws {
        process = try ProcessIdentity.current()
        vault = try VaultID.random()
    }

    /// A clock on which no timer ever fires.
    private var lateClock: BrokerClock { BrokerClock(now: clock.clock.now) { _, _ in } }

    private func item(_ subject: Challenge.Subject, isAsked: Bool = true) -> Lease.Item {
        let signature = Challenge.Authorization(role: .presence, kind: .presence, point: [1])
        return Lease.Item(subject: subject, signatures: isAsked ? [signature] : [])
    }

    @discardableResult
    private func add(
        _ store: LeaseStore, _ items: [Lease.Item]? = nil, uid: UInt32 = 1000, owner: Owner? = nil,
        process other: ProcessIdentity? = nil, command: String? = nil, program: String? = nil
    ) throws -> Lease {
        let owner = owner ?? .user(uid)
        let terms = Lease.Terms(seconds: 60, command: command)
        let leader = other ?? process
        let challenge = Challenge(
            id: "c", uid: uid, owner: owner, process: leader, vault: vault, reason: nil, enrolled: [],
            life: ChallengeLife(.vault(.unlock)), expires: .now)
        return try store.add(
            terms, try items ?? [item(.sample("s", "a"))], for: challenge, in: vault,
            by: AccessRecord.Program(
                uid: uid, pid: leader.pid, name: program, isResolved: program != nil, controlGroup: nil),
            since: clock.clock.now(), if: { true })
    }

    /// Why leases have ended, in their order.
    private final class Ends: Sendable {
        private let ends = Mutex<[String]>([])

        init(of store: LeaseStore) {
            store.onEnd { [weak self] lease, why in self?.ends.withLock { $0.append("\(lease.number) \(why)") } }
        }

        /// All others end now.
        func all(_ store: LeaseStore) -> [String] {
            store.finish()
            return ends.withLock { $0 }
        }
    }

    // MARK: Time

    @Test("a lease ends with its last moment, also before its timer has come")
    func lastMoment() throws {
        let store = LeaseStore(clock: lateClock)
        try add(store)
        clock.advance(by: .milliseconds(59_999))
        #expect(store.list(of: 1000, from: .user(1000)).count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(store.list(of: 1000, from: .user(1000)).isEmpty)
        try add(store)
        #expect(store.leases(of: 1000, from: .user(1000), vault).count == 1)
        clock.advance(by: .seconds(60))
        #expect(store.leases(of: 1000, from: .user(1000), vault).isEmpty)
    }

    @Test("the log hears of its end when its time is over, and not when somebody next asks")
    func timer() throws {
        let store = LeaseStore(clock: clock.clock)
        let ends = Ends(of: store)
        try add(store)
        clock.advance(by: .seconds(30))
        try add(store)
        clock.advance(by: .seconds(31))
        #expect(ends.all(store) == ["1 time", "2 stopped"])
    }

    @Test("what is told of a lease is what was granted, and for how long")
    func state() throws {
        let store = LeaseStore(clock: clock.clock)
        var (key, code) = (try Challenge.Subject.sample("s", "key"), try Challenge.Subject.sample("s", "code"))
        key.kind = .key
        code.fields = [.otp]
        let items = [item(try .sample("s", "a")), item(key), item(code)]
        let state = try add(store, items, command: "make", program: "/usr/bin/make").state
        #expect(state.id == 1 && state.pid == Int64(process.pid))
        #expect(state.command == "make" && state.program == "/usr/bin/make")
        #expect(state.items.map(\.account) == ["a", "key", "code"])
        #expect(state.items.map(\.kind) == [nil, .key, nil] && state.items.map(\.field) == [nil, nil, "otp"])
        #expect(state.ends - state.granted == 60_000)
        // A name that the process gave itself is not told.
        #expect(try add(store).state.program == nil)
        store.finish()
    }

    // MARK: Places

    @Test("all users together have so many leases, and each of them has their own share of these")
    func places() throws {
        // Each lease keeps a handle of its process open.
        guard try DescriptorLimit.raise(to: 4096) >= 2048 else { return }
        let store = LeaseStore(clock: clock.clock)
        let users = UInt32(LeaseLimits.all / LeaseLimits.perUser)
        for uid in 1...users { for _ in 0..<LeaseLimits.perUser { try add(store, uid: uid) } }
        let own = try #require(throws: Fault.self) { try add(store, uid: 1) }
        #expect(own.name == .limitExceeded && own.details.message?.hasPrefix("this user has") == true, "\(own)")
        let all = try #require(throws: Fault.self) { try add(store, uid: users + 1) }
        #expect(all.name == .limitExceeded && all.details.message?.contains("on this machine") == true, "\(all)")
        #expect(store.forget(of: 1) == LeaseLimits.perUser)
        try add(store, uid: users + 1)
        clock.advance(by: .seconds(60))
        try store.checkRoom(for: 2)
        store.finish()
    }

    @Test("a process that has ended, or whose number is another's now, gets no lease")
    func leaders() throws {
        let store = LeaseStore(clock: clock.clock)
        let later = ProcessIdentity(pid: process.pid, startTime: process.startTime + 1)
        let sleeper = try Subprocess("/bin/sleep", ["600"])
        let gone = try ProcessIdentity(observing: sleeper.pid)
        try sleeper.end()
        for leader in [later, gone] {
            #expect(throws: SystemError.self) { _ = try ProcessWatch(leader) {} }
            let refusal = try #require(throws: Fault.self) { try add(store, process: leader) }
            #expect(refusal.name == .challengeRefused)
        }
        #expect(store.list(of: 1000, from: .user(1000)).isEmpty)
        store.finish()
    }

    // MARK: Changes

    private func summary(
        _ subject: Challenge.Subject, version: UInt64 = 1, label: String? = nil, modified: UInt64 = 1,
        access: AccessControl = .whenUnlocked
    ) -> ItemSummary {
        ItemSummary(
            id: subject.item, version: version,
            metadata: Metadata(
                service: subject.service, account: subject.account, label: label, created: 1, modified: modified,
                valueSet: 1), access: access,
            revision: ItemRevision(digest: [UInt8](repeating: UInt8(version), count: 16)))
    }

    @Test("a new value, another access and a fresh key each take an item from its leases, and a new label does not")
    func updates() throws {
        let subject = try Challenge.Subject.sample("s", "a")
        let former = summary(subject)
        let cases: [(CommittedChange, Bool)] = [
            (.updated(summary(subject, version: 2, modified: 2), from: former), true),
            (.updated(summary(subject, modified: 2, access: .always), from: former), true),
            (.updated(summary(subject), from: former), true), (.deleted(former), true), (.unknown, true),
            (.updated(summary(subject, label: "new", modified: 2), from: former), false), (.added(former), false),
            (.sharing, false), (.deleted(summary(try .sample("s", "other"))), false),
        ]
        for (change, ends) in cases {
            let store = LeaseStore(clock: clock.clock)
            let told = Ends(of: store)
            try add(store, [item(subject)])
            try add(store, [item(subject)], owner: .group(5))
            store.note([change], of: .user(1000))
            #expect(store.list(of: 1000, from: .user(1000)).isEmpty == ends, "\(change)")
            #expect(store.list(of: 1000, from: .group(5)).count == 1, "\(change)")
            #expect(told.all(store) == [ends ? "1 changed" : "1 stopped", "2 stopped"], "\(change)")
        }
    }

    @Test("of several items the others stay; what asks nobody keeps no lease")
    func several() throws {
        let subjects = [try Challenge.Subject.sample("s", "a"), try .sample("s", "b"), try .sample("s", "open")]
        let store = LeaseStore(clock: clock.clock)
        let ends = Ends(of: store)
        try add(store, [item(subjects[0]), item(subjects[1]), item(subjects[2], isAsked: false)])
        func accounts() -> [String] { store.list(of: 1000, from: .user(1000)).flatMap(\.items).map(\.subject.account) }
        store.note([.deleted(summary(subjects[0]))], of: .user(1000))
        #expect(accounts() == ["b", "open"])
        store.note([.added(summary(subjects[0])), .deleted(summary(subjects[1]))], of: .user(1000))
        #expect(accounts() == [])
        #expect(ends.all(store) == ["1 changed"])
    }

    // MARK: Coverage

    @Test("one signature is covered for the process itself, for what a lease can answer, and not for another program")
    func signatures() throws {
        let store = LeaseStore(clock: clock.clock)
        let subject = try Challenge.Subject.sample("s", "a")
        try add(store, [item(subject)])
        let signature = item(subject).signatures[0]
        func challenge(_ deed: Challenge.ItemUse.Deed, forOthers: Bool = false) -> Challenge {
            let use = Challenge.ItemUse(deed: deed, subject: subject, ways: [[signature]])
            return Challenge(
                id: "c", uid: 1000, owner: .user(1000), process: process, vault: vault, reason: nil, enrolled: [],
                forOthers: forOthers, life: ChallengeLife(.use(use, unlocks: false)), expires: .now)
        }
        #expect(store.covers(challenge(.read)) && store.covers(signature, of: challenge(.read)))
        #expect(!store.covers(challenge(.change)) && !store.covers(signature, of: challenge(.change)))
        #expect(!store.covers(challenge(.read, forOthers: true)))
        #expect(!store.covers(signature, of: challenge(.read, forOthers: true)))
        store.finish()
    }
}
