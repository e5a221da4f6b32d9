import Authorization
import Circle
import Testing

@testable import Vault

/// A machine that joins is given the keys that members write to (docs/decisions/0038-given-generations.md).
@Suite struct CircleGivingTests {
    private let store = CircleStore()
    private let desk: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
        try desk.sync(store)
    }

    private func settle(_ machines: [CircleMachine]) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
    }

    @discardableResult
    private func admit(
        _ machine: CircleMachine, by admin: CircleMachine, as role: MemberRole = .admin
    ) throws -> JoinAnswer {
        let request = try machine.request()
        let statement = try #require(try admin.vault.addition(of: request, as: role, admin.classKeys))
        try admin.agree(to: statement, of: request)
        let answer = try admin.vault.answer(request, admin.classKeys)
        try machine.vault.enter(answer, machine.profile, machine.classKeys)
        return answer
    }

    /// A fleet that grows by one machine at a time.
    @Test func machinesThatJoinOneByOneShareOneGeneration() throws {
        var machines = [desk]
        var answers: [JoinAnswer] = []
        let first = try #require(try desk.view().present)
        for number in 1...6 {
            let (admin, next) = (machines[number % 2 == 0 ? 1 : 0], try CircleMachine("m\(number)"))
            answers.append(try admit(next, by: admin))
            machines.append(next)
            try settle(machines)
            try next.set("of", "m\(number)", "\(number)")
        }
        try settle(machines)
        for machine in machines {
            let view = try machine.view()
            #expect(view.present == first && view.generations.count == 1)
            #expect(view.membership.members.count == 7)
            for number in 1...6 { #expect(try machine.get("of", "m\(number)") == "\(number)") }
        }
        #expect(answers.allSatisfy { $0.generations == [first.name] })
    }

    /// What a server says goes to those who may write, so a fleet's files grow by as much with each server.
    @Test func aServerNamesNoOtherServer() throws {
        var machines = [desk]
        var answers: [Int] = []
        for number in 1...5 {
            let next = try CircleMachine("m\(number)")
            answers.append(try admit(next, by: desk, as: .reader).bytes.count)
            machines.append(next)
            try settle(machines)
        }
        try desk.set("db", "app", "1")
        try settle(machines)
        let (own, count) = (try desk.view().device.id, try desk.rowCount())
        for server in machines.dropFirst() {
            #expect(try server.get("db", "app") == "1")
            let head = try #require(try server.view().streams[server.view().device.id]?.newest?.head)
            #expect(head.seen.map(\.device) == [own])
            // What it wrote itself keeps nobody waiting, and everybody knows that it has all.
            let (atServer, atDesk) = (
                try #require(try server.vault.circleState(server.classKeys)),
                try #require(try desk.vault.circleState(desk.classKeys))
            )
            #expect(atServer.machines.allSatisfy { $0.isOwn || $0.hasTakenAll })
            #expect(atDesk.machines.allSatisfy { $0.isOwn || $0.hasTakenAll })
        }
        // Nobody answers an answer.
        try settle(machines)
        #expect(try desk.rowCount() == count)
        let growth = zip(answers.dropFirst(), answers).map { $0 - $1 }
        #expect(Set(growth).count <= 2, "\(answers)")
    }

    /// Attacker 11. Who was given the keys loses nothing less than a receiver when it is removed.
    @Test func whoIsRemovedReadsNothingMore() throws {
        let (one, other) = (try CircleMachine("one"), try CircleMachine("other"))
        for next in [one, other] {
            try next.join(desk)
            try settle([desk, next])
        }
        let before = try #require(try desk.view().present)
        try desk.remove(one)
        try settle([desk, other])
        try desk.set("later", "me", "secret")
        try settle([desk, other, one])
        let after = try #require(try desk.view().present)
        let gone = try one.view().device.id
        #expect(after != before)
        #expect(!after.receivers.map(\.device).contains(gone))
        #expect(try one.view().halves[after.name] == nil)
        #expect(try other.get("later", "me") == "secret")
    }

    /// Two machines add one each, and neither knows of the other's.
    @Test func additionsAtTheSameTimeGiveTheSameKeys() throws {
        let (laptop, one, other) = (try CircleMachine("laptop"), try CircleMachine("one"), try CircleMachine("other"))
        try admit(laptop, by: desk)
        try settle([desk, laptop])
        let present = try #require(try desk.view().present)
        try admit(one, by: desk)
        try admit(other, by: laptop)
        let all = [desk, laptop, one, other]
        try settle(all)
        for machine in all {
            let view = try machine.view()
            #expect(view.present == present && view.membership.members.count == 4)
        }
        try other.set("of", "other", "x")
        try settle(all)
        #expect(try one.get("of", "other") == "x")
    }

    /// Who is a receiver of a generation has its keys from the maker. An addition that names it too changes nothing.
    @Test func aReceiverHasItsKeysFromTheMaker() throws {
        let (laptop, phone) = (try CircleMachine("laptop"), try CircleMachine("phone"))
        try admit(laptop, by: desk)
        try desk.put(store)
        try laptop.sync(store)
        let request = try phone.request()
        let view = try desk.view()
        let halves = try GenerationHalves.generate()
        let generation = try KeyGeneration(
            circle: view.device.circle, maker: view.device.id, removals: view.membership.removalsDigest,
            publicHalves: halves.publicHalves,
            receivers: [halves.sealed(to: request.keys, in: view.device.circle)])
        let answer = try laptop.add(request, as: .writer, given: generation.name)
        try phone.vault.enter(answer, phone.profile, phone.classKeys)
        #expect(try phone.view().giver(of: generation) == view.device.id)
    }

    /// A machine that says to have given keys, and has not.
    @Test func whoGaveNoKeysIsNamed() throws {
        let (laptop, phone) = (try CircleMachine("laptop"), try CircleMachine("phone"))
        try laptop.join(desk)
        try settle([desk, laptop])
        let view = try laptop.view()
        // Keys that open nowhere: so the answer cannot bring them.
        var closed: KeyGeneration
        var number: UInt8 = 0
        repeat {
            number += 1
            closed = try KeyGeneration(
                circle: view.device.circle, maker: view.device.id, removals: view.membership.removalsDigest,
                publicHalves: [UInt8](repeating: number, count: KeyGeneration.publicCount),
                receivers: view.membership.members.map {
                    try .init($0.keys.device, sealed: [UInt8](repeating: number, count: 276))
                })
        } while try closed.name > #require(view.present).name
        try laptop.give([.generation(closed)])
        try laptop.put(store)
        _ = try desk.takeIn(store)
        try #require(try desk.view().present == closed)
        // An honest machine gives only what it has.
        let request = try phone.request()
        let honest = try #require(try desk.vault.addition(of: request, desk.classKeys))
        guard case .addition(_, _, let given) = honest.content else { throw Unexpected() }
        #expect(given == nil)
        try phone.vault.enter(desk.add(request, as: .writer, given: closed.name), phone.profile, phone.classKeys)
        try desk.put(store)
        _ = try phone.takeIn(store)
        try phone.set("of", "phone", "x")
        let refused = #expect(throws: VaultError.self) {
            try phone.vault.giveOut(heads: store.heads, phone.classKeys)
        }
        let giver = Hex.encode(try desk.view().device.id.bytes)
        #expect(refused?.advice.contains(giver) ?? false, "\(String(describing: refused))")
    }

    private struct Unexpected: Error {}
}
