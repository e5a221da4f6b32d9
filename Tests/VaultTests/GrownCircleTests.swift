import Circle
import Cryptography
import Growth
import Testing

@testable import Vault

/// What a circle costs a machine that joins it grows with the circle, and no faster (docs/sync-growth.md).
@Suite struct GrownCircleTests {
    private struct Joined {
        let machine: CircleMachine
        let store = CircleStore()
        let grown: GrownCircle
        let answer: JoinAnswer

        init(_ plan: GrowthPlan, swapping: Bool = false) throws {
            machine = try CircleMachine("joiner")
            let request = try machine.request()
            grown = try GrownCircle(plan, adding: request)
            for (path, content) in grown.files { store.files[path] = content }
            answer = try grown.answer(to: request, swapping: swapping)
            try machine.vault.enter(answer, machine.profile, machine.classKeys)
        }
    }

    private func plan(_ scale: Int, waves: Int = 3) -> GrowthPlan {
        var plan = GrowthPlan()
        (plan.devices, plan.records) = (10 * scale, 500 * scale)
        (plan.items, plan.deleted, plan.waves, plan.tail) = (20 * scale, 2 * scale, waves, 10)
        return plan
    }

    @Test func aMachineThatJoinsHasEverything() throws {
        let joined = try Joined(plan(1))
        let machine = joined.machine
        #expect(try machine.sync(joined.store).added == 20)
        #expect(try machine.names.count == 20)
        #expect(try machine.digest() == joined.grown.heads[0].head.stateDigest)
        let view = try machine.view()
        #expect(view.unread == 0 && view.state.waits.isEmpty)
        let state = try #require(try machine.vault.circleState(machine.classKeys))
        #expect(state.machines.count == 11)
        #expect(state.machines.filter { !$0.isOwn }.allSatisfy { $0.agrees == true && !$0.isForked })
        // Somebody changes one thing.
        for (path, content) in joined.grown.filesOfOneMore { joined.store.files[path] = content }
        #expect(try machine.sync(joined.store).updated == 1)
        let digests = try joined.store.heads.map { try SignedHead(decoding: $0).head.stateDigest }
        #expect(try digests.contains(machine.digest()))
    }

    /// A thousand servers only read. To tell whether each of them agrees, nobody looks at what the others have said.
    @Test func readersTellNothing() throws {
        let joined = try Joined(plan(1))
        try joined.machine.sync(joined.store)
        let view = try joined.machine.view()
        let writers = view.membership.members.filter(\.role.mayWrite).map(\.keys.device)
        #expect(writers.count == 3 && Set(view.telling) == Set(writers))
        #expect(view.readers.count == 8)
    }

    /// A record has the values of many items. Each is opened once, and only the values of one are in memory.
    @Test func itemsComeRecordByRecord() throws {
        let joined = try Joined(plan(4))
        try joined.machine.sync(joined.store)
        let view = try joined.machine.view()
        let items = view.state.items
        let ordered = view.inOrderOfRecords(items)
        #expect(Set(ordered.map(\.id)) == Set(items.map(\.id)) && ordered.count == items.count)
        let records = ordered.compactMap(view.record)
        #expect(records.count == items.count && Set(records).count > 3)
        let changes = zip(records, records.dropFirst()).filter { $0.0 != $0.1 }.count
        #expect(changes == Set(records).count - 1)
    }

    /// Who says which values will be asked for has no others of their records in memory.
    @Test func onlyWantedValuesStay() throws {
        let joined = try Joined(plan(1))
        try joined.machine.sync(joined.store)
        let view = try joined.machine.view()
        let shown = try view.state.items.map { try #require($0.shown(.field(.secret))) }
        view.opened.begin(with: [shown[0].name])
        for change in shown { #expect(try view.value(of: change) != nil) }
        #expect(view.opened.count == 1 && view.opened[shown[0].name] != nil)
        view.opened.end()
        #expect(view.opened.count == 0)
        for change in shown { _ = try view.value(of: change) }
        #expect(view.opened.count >= shown.count)
    }

    /// Of records, a vault keeps in memory where they are, and not what they are.
    @Test func whatIsKeptInMemoryHasNoRecords() throws {
        let joined = try Joined(plan(2))
        let machine = joined.machine
        try machine.sync(joined.store)
        let (material, view) = try machine.vault.read { (snapshot) throws(VaultError) in
            try machine.vault.view(snapshot, machine.classKeys)
        }
        #expect(material.arrived.isEmpty && !material.segments.isEmpty)
        let change = try #require(view.state.items.first?.shown(.field(.secret)))
        #expect(vaultError { _ = try view.value(of: change) } == .storage, "the value is in the vault's file alone")
    }

    /// Twice the machines, changes and items take twice of everything.
    @Test func twiceTheCircleTakesTwice() throws {
        var costs: [[String: Int]] = []
        for scale in 1...2 {
            let joined = try Joined(plan(scale))
            let machine = joined.machine
            try machine.sync(joined.store)
            let (rows, kept) = try machine.vault.read { (snapshot) throws(VaultError) in
                let rows = try snapshot.circleRows()
                return (rows, rows.reduce(0) { $0 + $1.content.count })
            }
            // Readers say nothing that others answer. Otherwise each machine would name each.
            let own = try machine.view().streams[machine.view().device.id]
            #expect(own?.newest?.head.seen.count == 3)
            #expect(own?.counted.count == 1, "what it is called")
            costs.append([
                "files": joined.store.files.count, "bytes": joined.store.files.values.reduce(0) { $0 + $1.count },
                "rows": rows.count, "kept": kept, "answer": joined.answer.bytes.count,
            ])
        }
        for (name, cost) in costs[0] {
            #expect(Double(costs[1][name] ?? 0) < 2.3 * Double(cost), "\(name): \(cost), then \(costs[1][name] ?? 0)")
        }
    }

    /// The generations become longer and more. An answer has none of them.
    @Test func anAnswerStaysShortHoweverMachinesWereAdded() throws {
        var answers: [Int] = []
        for devices in [12, 24] {
            var plan = plan(1, waves: devices - 1)
            plan.devices = devices
            let joined = try Joined(plan)
            answers.append(joined.answer.bytes.count)
            try joined.machine.sync(joined.store)
            let view = try joined.machine.view()
            #expect(view.openGenerations.count == devices)
            #expect(try joined.machine.names.count == 20)
        }
        #expect(Double(answers[1]) < 2.2 * Double(answers[0]), "\(answers)")
    }

    /// A member that adds somebody gives the halves of one generation for those of another. Nothing that only the two can
    /// open may take the place of what all members have.
    @Test func halvesOfAnotherGenerationOpenNothing() throws {
        let joined = try Joined(plan(1), swapping: true)
        let machine = joined.machine
        try machine.sync(joined.store)
        let view = try machine.view()
        // It is a receiver of the last one itself.
        for (name, halves) in view.halves {
            #expect(try halves.publicHalves == #require(view.generations[name]).publicHalves)
        }
        #expect(view.halves.count < 4)
    }
}
