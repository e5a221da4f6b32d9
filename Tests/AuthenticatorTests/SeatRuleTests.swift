import TestSupport
import Testing

@testable import Authenticator

/// The sessions that a finger is taken from.
struct SeatRuleTests {
    private static let good = SessionFacts(
        uid: 1000, isPersons: true, isRemote: false, hasSeat: true, isActive: true, isLocked: false)

    private static func but(_ change: (inout SessionFacts) -> Void) -> SessionFacts {
        var facts = good
        change(&facts)
        return facts
    }

    private static let others: [(SessionFacts, BiometryObstacle)] = [
        (but { $0.uid = 1001 }, .noSession), (but { $0.uid = nil }, .noSession),
        (but { $0.isPersons = false }, .noSession),
        (but { $0.isRemote = true }, .remoteSession), (but { $0.hasSeat = false }, .remoteSession),
        (but { $0.isLocked = true }, .lockedSession), (but { $0.isActive = false }, .inactiveSession),
        (SessionFacts(), .noSession),
    ]

    @Test func aSessionHasToBeThePersonsOwnHereInFrontAndOpen() throws {
        try SeatRule.check(session: Self.good, of: 1000)
        for (facts, obstacle) in Self.others {
            #expect(throws: obstacle) { try SeatRule.check(session: facts, of: 1000) }
        }
    }

    @Test func withoutASessionAllOfTheUsersCount() throws {
        try SeatRule.check(sessions: [Self.good], of: 1000)
        #expect(throws: BiometryObstacle.noSession) { try SeatRule.check(sessions: [], of: 1000) }
        for (facts, obstacle) in Self.others {
            #expect(throws: obstacle) { try SeatRule.check(sessions: [facts], of: 1000) }
        }
        // A session in the background at this machine does no harm. A remote or locked session does.
        try SeatRule.check(sessions: [Self.good, Self.but { $0.isActive = false }], of: 1000)
        #expect(throws: BiometryObstacle.remoteSession) {
            try SeatRule.check(sessions: [Self.good, Self.but { $0.isRemote = true }], of: 1000)
        }
        #expect(throws: BiometryObstacle.lockedSession) {
            try SeatRule.check(sessions: [Self.good, Self.but { $0.isLocked = true }], of: 1000)
        }
        // Another user's session does not matter.
        let foreign = Self.but {
            $0.uid = 1001
            $0.isLocked = true
        }
        try SeatRule.check(sessions: [Self.good, foreign], of: 1000)
    }

    @Test func aFingerIsForOneConversationOnly() throws {
        let folder = try TemporaryFolder()
        func enter(_ uid: UInt32, program: Int32) throws -> OpenConversations {
            try OpenConversations.enter(registryDirectory: folder.path, uid: uid, program: program)
        }
        var first = try enter(1000, program: 70)
        #expect(try first.claimFinger())
        #expect(try first.claimFinger(), "it has it already")
        var sibling = try enter(1000, program: 70)
        #expect(try sibling.claimFinger(), "one program's conversations do not keep each other from asking")
        sibling.keep()
        _ = consume sibling
        var second = try enter(1000, program: 71)
        #expect(try !second.claimFinger())
        var stranger = try enter(1001, program: 1)
        #expect(try stranger.claimFinger(), "another user's conversations are no business of this one's")
        first.keep()
        _ = consume first
        // A conversation that came meanwhile and asks for a password only counts as well.
        let third = try enter(1000, program: 69)
        #expect(try !second.claimFinger())
        third.keep()
        _ = consume third
        #expect(try second.claimFinger())
        second.keep()
        stranger.keep()
    }
}
