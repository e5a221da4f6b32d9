import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Vault

@testable import Broker

/// What a lease covers, for the cases that the outside cannot tell apart.
struct LeaseStoreTests {
    private let subject: Challenge.Subject
    private let vault: VaultID
    private let process: ProcessIdentity

    init() throws {
        subject = try .sample("s", "a")
        vault = try VaultID.random()
        process = try ProcessIdentity.current()
    }

    private func way(_ point: UInt8, _ role: ObjectRole = .presence, _ kind: AuthorizationKind = .presence)
        -> [Challenge.Authorization]
    {
        [Challenge.Authorization(role: role, kind: kind, point: [point])]
    }

    private func reading(_ ways: [[Challenge.Authorization]], unlocks: Bool = false) -> Challenge.Request {
        .use(Challenge.ItemUse(deed: .read, subject, ways), unlocks: unlocks)
    }

    /// A store with a lease of one point, for this process and user 1000.
    private func store(wanted: Bool = true, owner: Owner = .user(1000)) throws -> LeaseStore {
        let store = LeaseStore(clock: .system)
        try add(to: store, uid: 1000, wanted: wanted, owner: owner)
        return store
    }

    private func add(to store: LeaseStore, uid: UInt32, wanted: Bool = true, owner: Owner) throws {
        let read = try Challenge.JointRead([subject], reason: nil, wanted: [(subject.item, [way(1)])])
        let terms = Lease.Terms(seconds: 600, command: nil)
        let challenge = Challenge(
            id: "c", uid: uid, owner: owner, process: process, vault: vault, reason: nil, enrolled: [],
            life: ChallengeLife(.lease(read, terms)), expires: .now)
        _ = try store.add(
            terms, [.init(subject: subject, signatures: way(1))], for: challenge, in: vault,
            by: AccessRecord.Program(uid: uid, pid: process.pid, name: nil, isResolved: false, controlGroup: nil),
            since: .now, if: { wanted })
    }

    private func covers(
        _ store: LeaseStore, _ request: Challenge.Request, uid: UInt32 = 1000, _ other: ProcessIdentity? = nil,
        owner: Owner = .user(1000), _ otherVault: VaultID? = nil
    ) -> Bool {
        store.covers(request, of: uid, other ?? process, owner: owner, otherVault ?? vault)
    }

    @Test("it covers its user, vault, item and kind, and nothing else")
    func exactly() throws {
        let store = try store()
        #expect(covers(store, reading([way(1)])))
        #expect(!covers(store, reading([way(1)]), uid: 1001))
        #expect(!covers(store, reading([way(1)]), owner: .group(1000)))
        #expect(!covers(store, reading([way(1)]), nil, try VaultID.random()))
        #expect(!covers(store, reading([way(2)])))
        #expect(!covers(store, reading([way(1, .passcode, .passcode)])))
        #expect(!covers(store, reading([way(1)], unlocks: true)))
        #expect(!covers(store, reading([[]])))
        var former = subject
        former.isFormer = true
        #expect(
            !covers(store, .use(Challenge.ItemUse(deed: .read, former, [way(1)]), unlocks: false)))
    }

    @Test("one whole way has to be in it")
    func ways() throws {
        let store = try store()
        #expect(covers(store, reading([way(2), way(1)])))
        #expect(!covers(store, reading([way(1) + way(1, .passcode, .passcode)])))
    }

    @Test("a later process of the same number is another one")
    func number() throws {
        let store = try store()
        let later = ProcessIdentity(pid: process.pid, startTime: process.startTime + 1)
        #expect(!covers(store, reading([way(1)]), later))
    }

    @Test("a lock that comes with the last signature leaves no lease")
    func lock() throws {
        #expect(throws: (any Error).self) { try store(wanted: false) }
    }

    @Test("a locked vault of the user ends the leases from groups' vaults, too")
    func groups() throws {
        let group = Owner.group(50)
        for (locked, ends) in [
            (Owner.user(1001), false), (.group(51), false), (.user(1000), true), (group, true),
        ] {
            let store = try store(owner: group)
            store.endAll(about: locked)
            #expect(store.list(of: 1000, from: group).isEmpty == ends, "\(locked)")
            #expect(covers(store, reading([way(1)]), owner: group) != ends, "\(locked)")
        }
    }

    @Test("a member who forgets ends their own leases from a group's vault, and no other member's")
    func members() throws {
        let group = Owner.group(50)
        for vault in [group, nil] as [Owner?] {
            let store = LeaseStore(clock: .system)
            for uid in [1000, 1001] as [UInt32] {
                try add(to: store, uid: uid, owner: group)
                try add(to: store, uid: uid, owner: .user(uid))
            }
            #expect(store.forget(of: 1000, from: vault) == (vault == nil ? 2 : 1))
            #expect(store.list(of: 1000, from: group).isEmpty)
            #expect(store.list(of: 1000, from: .user(1000)).isEmpty == (vault == nil))
            #expect(store.list(of: 1001, from: group).count == 1)
            #expect(store.list(of: 1001, from: .user(1001)).count == 1)
        }
    }

    @Test("a write whose outcome nobody knows ends the leases from its vault, and from no other")
    func unknownOutcome() throws {
        let store = try store()
        try add(to: store, uid: 1000, owner: .group(50))
        store.note([.unknown], of: .user(1000))
        #expect(!covers(store, reading([way(1)])))
        #expect(store.list(of: 1000, from: .user(1000)).isEmpty)
        #expect(store.list(of: 1000, from: .group(50)).count == 1)
    }

    @Test("a lease that has ended gives its place back")
    func places() throws {
        let store = LeaseStore(clock: .system)
        for _ in 0..<3 {
            for _ in 0..<16 { try add(to: store, uid: 1000, owner: .user(1000)) }
            #expect(throws: (any Error).self) { try add(to: store, uid: 1000, owner: .user(1000)) }
            #expect(store.forget(of: 1000) == 16)
        }
    }

    @Test("only reading is covered")
    func requests() throws {
        for request in try Challenge.Request.oneOfEach() {
            let isReading =
                switch request {
                case .use(let use, unlocks: false): use.deed == .read
                case .readAll(_, let unlocks): !unlocks
                default: false
                }
            #expect(request.canBeLeased == isReading, "\(request.purposes)")
        }
    }
}
