import Authorization
import Circle
import Testing

@testable import Vault

/// A machine signs its head again from time to time, also if nothing changes. So the others can tell that it is there
/// (attackers 10 and 11; T14 of the review).
struct CircleSignOfLifeTests {
    private let store = CircleStore()

    private func circle(_ role: MemberRole) throws -> (desk: CircleMachine, other: CircleMachine) {
        let (desk, other) = (try CircleMachine("desk"), try CircleMachine("other"))
        try desk.found()
        try desk.set("web", "me", "early")
        let request = try other.request()
        let statement = try #require(try desk.vault.addition(of: request, as: role, desk.classKeys))
        try desk.agree(to: statement, of: request)
        try other.vault.enter(desk.vault.answer(request, desk.classKeys), other.profile, other.classKeys)
        for _ in 0..<3 { for machine in [desk, other] { try machine.sync(store) } }
        return (desk, other)
    }

    private func pass(_ hours: UInt64, _ machines: [CircleMachine]) throws {
        for machine in machines {
            machine.fixture.advance(milliseconds: hours * 3_600_000)
            try machine.sync(store)
        }
    }

    private func heard(_ other: CircleMachine, by desk: CircleMachine) throws -> UInt64 {
        let state = try #require(try desk.vault.circleState(desk.classKeys))
        return try #require(state.machines.first { !$0.isOwn }?.heard)
    }

    @Test(
        "in a year without a change each says that it is there, a reader seldom, and nothing else is written",
        arguments: [MemberRole.admin, .reader])
    func year(role: MemberRole) throws {
        let (desk, other) = try circle(role)
        let settled = store.files
        let heads = try [desk, other].map { machine in
            StorePath.head(circle: try desk.view().device.circle, device: try machine.view().device.id)
        }
        var changes = [0, 0]
        for _ in 0..<365 {
            let before = heads.map { store.files[$0] }
            try pass(24, [desk, other])
            for place in 0..<2 where store.files[heads[place]] != before[place] { changes[place] += 1 }
            // At no time does one look silent to the other.
            let now = desk.fixture.clock.withLock { $0 }
            let days = try (now - heard(other, by: desk)) / 86_400_000
            #expect(days <= (role == .reader ? 26 : 2))
        }
        let isSame = store.files.filter { !heads.contains($0.key) } == settled.filter { !heads.contains($0.key) }
        #expect(isSame, "no record is written for it")
        #expect((150...365).contains(changes[0]), "\(changes[0]) heads")
        #expect((role == .reader ? 13...19 : 150...365).contains(changes[1]), "\(changes[1]) heads")
    }

    @Test("within a day nothing is said, and what was said is answered by nobody")
    func oncePerDay() throws {
        let (desk, other) = try circle(.admin)
        let settled = store.files
        for _ in 0..<23 { try pass(1, [desk, other]) }
        let isSame = store.files == settled
        #expect(isSame)
        try pass(8, [desk])
        let said = store.files
        #expect(said.count { settled[$0.key] != $0.value } == 1)
        // It is taken in, and is no news to answer.
        try other.sync(store)
        try desk.sync(store)
        let isStill = store.files == said
        #expect(isStill)
        #expect(try heard(desk, by: other) > heard(other, by: desk))
    }

    @Test("when it is time, to the millisecond: a day or twenty, and up to a quarter more")
    func due() throws {
        let day: UInt64 = 86_400_000
        func isDue(_ first: UInt8, _ role: MemberRole, _ age: UInt64) throws -> Bool {
            let device = try #require(WriterID(bytes: [first] + [UInt8](repeating: 7, count: 15)))
            return SignOfLife.isDue(device, role, said: 1_800_000_000_000, now: 1_800_000_000_000 + age)
        }
        for (role, interval) in [(MemberRole.admin, day), (.writer, day), (.reader, 20 * day)] {
            for (first, end) in [(0, interval), (128, interval / 8 * 9), (255, interval + interval / 1024 * 255)] {
                #expect(try isDue(UInt8(first), role, end) && !isDue(UInt8(first), role, end - 1))
            }
        }
        // A clock that was ahead when it said so.
        let device = try #require(WriterID(bytes: [UInt8](repeating: 0, count: 16)))
        #expect(!SignOfLife.isDue(device, .admin, said: .max, now: 0))
    }
}
