import Authorization
import BrokerProtocol
import Cryptography
import Platform
import TestSupport
import Testing

@testable import Broker

/// What a challenge is bound to, one by one, for the cases where two checks refuse and the outside cannot tell which
/// one did.
struct ChallengeStoreTests {
    private let process = ProcessIdentity(pid: 7, startTime: 70)
    private let clock = TestClock()

    private func granted(for caller: Caller) throws -> (ChallengeStore, Challenge.ID) {
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let id = try store.issue(.vault(.unlock), to: caller, owner: .user(1000), vault: VaultID.random())
        _ = try store.describe(id, uid: caller.uid, process: caller.process, connection: 1)
        _ = try store.begin(id, 0, connection: 1)
        try store.finish(id, 0, connection: 1, agreement: nil)
        return (store, id)
    }

    @Test("a process that changed its user is another caller")
    func otherUser() throws {
        let (store, id) = try granted(for: Caller(uid: 1000, process: process, connection: 1))
        #expect(throws: ChallengeRefusal.anothersProcess) {
            try store.redeem(id, by: Caller(uid: 1001, process: process, connection: 2))
        }
    }

    @Test("a later process with the same number is another caller")
    func otherStart() throws {
        let (store, id) = try granted(for: Caller(uid: 1000, process: process, connection: 1))
        #expect(throws: ChallengeRefusal.anothersProcess) {
            try store.redeem(id, by: Caller(uid: 1000, process: ProcessIdentity(pid: 7, startTime: 71), connection: 2))
        }
    }

    @Test("another authenticator's connection cannot go on with a conversation")
    func otherConnection() throws {
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let id = try store.issue(.vault(.unlock), to: caller, owner: .user(1000), vault: VaultID.random())
        _ = try store.describe(id, uid: 1000, process: process, connection: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) {
            try store.describe(id, uid: 1000, process: process, connection: 2)
        }
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try store.begin(id, 0, connection: 2) }
        store.connectionEnded(1)
        #expect(throws: ChallengeRefusal.unknown) { try store.redeem(id, by: caller) }
    }

    @Test("what nobody takes is forgotten in time, without anybody asking")
    func forgotten() throws {
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let (store, id) = try granted(for: caller)
        clock.advance(by: .seconds(31))
        #expect(throws: ChallengeRefusal.unknown) { try store.redeem(id, by: caller) }
    }

    /// The timer that wipes them can come late: the machine may be busy, or may have slept.
    @Test("what is over is refused by its time, and not only once it was wiped")
    func expiredBeforeItIsWiped() throws {
        let clock = self.clock
        let store = ChallengeStore(
            limits: .init(openPerUser: 8, life: .seconds(60)), clock: BrokerClock(now: clock.clock.now) { _, _ in })
        let caller = Caller(uid: 1000, process: process, connection: 1)
        func issued() throws -> Challenge.ID {
            try store.issue(.vault(.unlock), to: caller, owner: .user(1000), vault: VaultID.random())
        }
        let (waiting, asked, answered) = (try issued(), try issued(), try issued())
        for id in [asked, answered] { _ = try store.describe(id, uid: 1000, process: process, connection: 1) }
        _ = try store.begin(answered, 0, connection: 1)
        try store.finish(answered, 0, connection: 1, agreement: nil)
        clock.advance(by: .seconds(61))
        #expect(!store.isOpen(waiting) && !store.isOpen(asked) && !store.isOpen(answered))
        #expect(!store.hasOpen(of: process))
        #expect(throws: ChallengeRefusal.self) {
            try store.describe(waiting, uid: 1000, process: process, connection: 2)
        }
        #expect(throws: ChallengeRefusal.self) { _ = try store.begin(asked, 0, connection: 1) }
        #expect(throws: ChallengeRefusal.self) { try store.redeem(answered, by: caller) }
    }

    @Test(
        "a process may ask for the same thing several times at once; of too many the oldest goes, and none that was begun"
    )
    func same() throws {
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let vault = try VaultID.random()
        var ids: [Challenge.ID] = []
        for number in 0..<10 {
            ids.append(
                try store.issue(.vault(.unlock), to: caller, owner: .user(1000), vault: vault))
            if number == 0 { _ = try store.describe(ids[0], uid: 1000, process: process, connection: 1) }
            clock.advance(by: .milliseconds(1))
        }
        #expect(ids.map(store.isOpen) == [true, false] + Array(repeating: true, count: 8))
    }

    // MARK: Several ways

    private static func key(_ role: ObjectRole, _ kind: AuthorizationKind) -> Challenge.Authorization {
        Challenge.Authorization(role: role, kind: kind, point: [UInt8](repeating: UInt8(role.rawValue), count: 65))
    }

    private static let presence = key(.presence, .presence)
    private static let passcode = key(.passcode, .passcode)
    private static let biometry = key(.biometryAny, .biometryAny)

    private func described(_ ways: [[Challenge.Authorization]], unlocks: Bool = false) throws -> (
        ChallengeStore, Challenge.ID, Caller
    ) {
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let request = Challenge.Request.use(try .reading("s", "a", ways), unlocks: unlocks)
        let id = try store.issue(request, to: caller, owner: .user(1000), vault: VaultID.random())
        _ = try store.describe(id, uid: 1000, process: process, connection: 1)
        return (store, id, caller)
    }

    private func sign(_ store: ChallengeStore, _ id: Challenge.ID, _ index: Int) throws {
        let authorization = try store.begin(id, index, connection: 1)
        try store.finish(
            id, index, connection: 1, agreement: SecretBytes(copying: [UInt8(authorization.role.rawValue)]))
    }

    @Test("one way to its end is enough, and only its agreements are there")
    func oneWay() throws {
        let (store, id, caller) = try described([[Self.biometry], [Self.passcode]])
        try sign(store, id, 1)
        #expect(Set(try store.redeem(id, by: caller).grant.agreements.keys) == [try #require(Self.passcode.point)])
    }

    @Test("a signature less than a whole way grants nothing")
    func halfWay() throws {
        let ways = [[Self.biometry, Self.passcode]]
        for taken in [[0], [1], [2], [0, 1], [0, 2], [1, 2]] {
            let (store, id, caller) = try described(ways, unlocks: true)
            for index in taken { try sign(store, id, index) }
            #expect(throws: ChallengeRefusal.notGranted) { try store.redeem(id, by: caller) }
        }
        let (store, id, caller) = try described(ways, unlocks: true)
        for index in [2, 0, 1] { try sign(store, id, index) }
        let grant = try store.redeem(id, by: caller).grant
        #expect(grant.agreements.count == 2 && grant.key != nil)
    }

    @Test("signatures of two ways are no way: the second is not even begun")
    func mixedWays() throws {
        let unlock = SignatureChoice.unlock.authorizations[0]
        let (store, id, _) = try described([[unlock, Self.presence], [Self.biometry, Self.passcode]])
        _ = try store.begin(id, 0, connection: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try store.begin(id, 2, connection: 1) }
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try store.begin(id, 3, connection: 1) }
        _ = try store.begin(id, 1, connection: 1)
    }

    @Test("what two ways have in common is asked for once")
    func commonPart() throws {
        let unlock = SignatureChoice.unlock.authorizations[0]
        let choice = SignatureChoice([[unlock, Self.presence], [unlock, Self.passcode]])
        #expect(choice.authorizations == [unlock, Self.presence, Self.passcode])
        #expect(choice.alternatives == [[0, 1], [0, 2]])
        #expect(SignatureChoice().alternatives == [[]])
    }
}
