import Authorization
import BrokerProtocol
import CofferTestKit
import Cryptography
import Platform
import Testing

@testable import Broker

/// What a challenge is bound to, one by one, where the outside could not tell which of two checks refused.
struct ChallengeBookTests {
    private let process = ProcessIdentity(pid: 7, startTime: 70)
    private let clock = TestClock()

    private func granted(for caller: Caller) throws -> (ChallengeBook, Challenge.ID) {
        let book = ChallengeBook(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let id = try book.issue(
            to: caller, owner: .user(1000), vault: VaultID.random(), purposes: [.unlock],
            choice: .unlock)
        _ = try book.describe(id, uid: caller.uid, process: caller.process, connection: 1)
        _ = try book.begin(id, 0, connection: 1)
        try book.finish(id, 0, connection: 1, agreement: nil)
        return (book, id)
    }

    @Test("a process that changed its user is another caller")
    func otherUser() throws {
        let (book, id) = try granted(for: Caller(uid: 1000, process: process, connection: 1))
        #expect(throws: ChallengeRefusal.anothersProcess) {
            try book.redeem(id, by: Caller(uid: 1001, process: process, connection: 2))
        }
    }

    @Test("a later process with the same number is another caller")
    func otherStart() throws {
        let (book, id) = try granted(for: Caller(uid: 1000, process: process, connection: 1))
        #expect(throws: ChallengeRefusal.anothersProcess) {
            try book.redeem(id, by: Caller(uid: 1000, process: ProcessIdentity(pid: 7, startTime: 71), connection: 2))
        }
    }

    @Test("another authenticator's connection cannot go on with a conversation")
    func otherConnection() throws {
        let book = ChallengeBook(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let id = try book.issue(
            to: caller, owner: .user(1000), vault: VaultID.random(), purposes: [.unlock],
            choice: .unlock)
        _ = try book.describe(id, uid: 1000, process: process, connection: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) {
            try book.describe(id, uid: 1000, process: process, connection: 2)
        }
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try book.begin(id, 0, connection: 2) }
        book.connectionEnded(1)
        #expect(throws: ChallengeRefusal.unknown) { try book.redeem(id, by: caller) }
    }

    @Test("what nobody takes is forgotten in time, without anybody asking")
    func forgotten() throws {
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let (book, id) = try granted(for: caller)
        clock.advance(by: .seconds(31))
        #expect(throws: ChallengeRefusal.unknown) { try book.redeem(id, by: caller) }
    }

    @Test(
        "a process may ask for the same thing several times at once; of too many the oldest goes, and none that was begun"
    )
    func same() throws {
        let book = ChallengeBook(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let vault = try VaultID.random()
        var ids: [Challenge.ID] = []
        for number in 0..<10 {
            ids.append(
                try book.issue(
                    to: caller, owner: .user(1000), vault: vault, purposes: [.unlock], choice: .unlock))
            if number == 0 { _ = try book.describe(ids[0], uid: 1000, process: process, connection: 1) }
            clock.advance(by: .milliseconds(1))
        }
        #expect(ids.map(book.isOpen) == [true, false] + Array(repeating: true, count: 8))
    }

    // MARK: Several ways

    private static func key(_ role: ObjectRole, _ kind: AuthorizationKind) -> Challenge.Authorization {
        Challenge.Authorization(role: role, kind: kind, point: [UInt8](repeating: UInt8(role.rawValue), count: 65))
    }

    private static let presence = key(.presence, .presence)
    private static let passcode = key(.passcode, .passcode)
    private static let biometry = key(.biometryAny, .biometryAny)

    private func described(_ ways: [[Challenge.Authorization]]) throws -> (ChallengeBook, Challenge.ID, Caller) {
        let book = ChallengeBook(limits: .init(openPerUser: 8, life: .seconds(60)), clock: clock.clock)
        let caller = Caller(uid: 1000, process: process, connection: 1)
        let id = try book.issue(
            to: caller, owner: .user(1000), vault: VaultID.random(), purposes: [.read], choice: SignatureChoice(ways))
        _ = try book.describe(id, uid: 1000, process: process, connection: 1)
        return (book, id, caller)
    }

    private func sign(_ book: ChallengeBook, _ id: Challenge.ID, _ index: Int) throws {
        let (_, authorization) = try book.begin(id, index, connection: 1)
        try book.finish(
            id, index, connection: 1, agreement: SecretBytes(copying: [UInt8(authorization.role.rawValue)]))
    }

    @Test("one way to its end is enough, and only its agreements are there")
    func oneWay() throws {
        let (book, id, caller) = try described([[Self.biometry], [Self.passcode]])
        try sign(book, id, 1)
        #expect(Set(try book.redeem(id, by: caller).agreements.keys) == [.passcode])
    }

    @Test("a signature less than a whole way grants nothing")
    func halfWay() throws {
        let ways = [[SignatureChoice.unlock.authorizations[0], Self.biometry, Self.passcode]]
        for taken in [[0], [1], [2], [0, 1], [0, 2], [1, 2]] {
            let (book, id, caller) = try described(ways)
            for index in taken { try sign(book, id, index) }
            #expect(throws: ChallengeRefusal.notGranted) { try book.redeem(id, by: caller) }
        }
        let (book, id, caller) = try described(ways)
        for index in [2, 0, 1] { try sign(book, id, index) }
        #expect(try book.redeem(id, by: caller).stage == .granted)
    }

    @Test("signatures of two ways are no way: the second is not even begun")
    func mixedWays() throws {
        let unlock = SignatureChoice.unlock.authorizations[0]
        let (book, id, _) = try described([[unlock, Self.presence], [Self.biometry, Self.passcode]])
        _ = try book.begin(id, 0, connection: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try book.begin(id, 2, connection: 1) }
        #expect(throws: ChallengeRefusal.outOfOrder) { _ = try book.begin(id, 3, connection: 1) }
        _ = try book.begin(id, 1, connection: 1)
    }

    @Test("what two ways have in common is asked for once")
    func commonPart() throws {
        let unlock = SignatureChoice.unlock.authorizations[0]
        let choice = SignatureChoice([[unlock, Self.presence], [unlock, Self.passcode]])
        #expect(choice.authorizations == [unlock, Self.presence, Self.passcode])
        #expect(choice.alternatives == [[0, 1], [0, 2]])
        #expect(SignatureChoice.none.alternatives == [[]])
    }
}
