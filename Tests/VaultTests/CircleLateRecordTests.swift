import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// A machine goes on after its removal, because it has not heard of it or because somebody else has it (attacker 11), and
/// who keeps the store shows what they like of that (attacker 10). What was merged before counts, and nothing else.
struct CircleLateRecordTests {
    private let store = CircleStore()
    private let desk: CircleMachine
    private let laptop: CircleMachine
    private let lost: CircleMachine

    init() throws {
        (desk, laptop, lost) = (try CircleMachine("desk"), try CircleMachine("laptop"), try CircleMachine("lost"))
        try desk.found()
        try desk.put(store)
        for machine in [laptop, lost] {
            try machine.join(desk)
            try desk.put(store)
        }
        try lost.set("before", "", "1")
        try settle(desk, laptop, lost)
    }

    private func settle(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        #expect(Set(try machines.map { try $0.digest() }).count == 1)
        for machine in machines { _ = try machine.vault.verify() }
    }

    /// The machine makes the keys that all write to.
    private func makeKeys(_ machine: CircleMachine) throws {
        let view = try machine.view()
        let present = try #require(view.present)
        func made() throws -> KeyGeneration {
            try machine.vault.newGeneration(
                of: view.device.circle, by: view.device.id, for: view.membership
            ).0
        }
        // Of several, members take the one with the smallest name.
        var generation = try made()
        for _ in 0..<20_000 where present.name < generation.name { generation = try made() }
        try machine.give([.generation(generation)])
        try machine.put(store)
    }

    /// It has not heard of its removal, and gives something out.
    ///
    /// - Returns: the files with it.
    private func sayMore() throws -> [StorePath] {
        try lost.set("after", "", "2")
        _ = try lost.vault.takeIn(heads: [], segments: [], lost.classKeys)
        if let prepared = try lost.vault.giveOut(heads: [], lost.classKeys) { try lost.commit(prepared) }
        let (alone, before) = (CircleStore(), Set(store.names))
        try lost.put(alone)
        store.files.merge(alone.files) { _, its in its }
        let new = store.names.filter { !before.contains($0) }
        try #require(!new.isEmpty)
        return new
    }

    /// - Parameter isGone: whether the store loses the late file once the others have seen it.
    @Test(arguments: [false, true]) func itDoesNotUndoTheRemoval(isGone: Bool) throws {
        try makeKeys(lost)
        try settle(desk, laptop, lost)
        let id = try lost.view().device.id
        try #require(try desk.view().present?.maker == id)
        try desk.remove(lost)
        try desk.put(store)
        let late = try sayMore()
        for _ in 0..<3 {
            for machine in [desk, laptop] { try machine.sync(store) }
            if isGone { for path in late { store.files[path] = nil } }
        }
        for machine in [desk, laptop] {
            let view = try machine.view()
            #expect(view.membership.members.count == 2 && view.membership.others == [id])
            #expect(view.present?.receivers.contains { $0.device == id } == false)
            #expect(try machine.names == ["before"])
        }
        try desk.set("bank", "", "since")
        try settle(desk, laptop)
        #expect(try laptop.get("bank") == "since")
        // With all files, it reads nothing of that.
        try lost.takeIn(store)
        #expect(try lost.names == ["after", "before"])
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        try desk.put(store)
        try settle(spare, desk, laptop)
        #expect(try spare.names == ["bank", "before"] && spare.get("before") == "1")
    }

    /// The machine that removes it does not need its word to know that.
    @Test func theRemoverKnowsOfItWithoutItsFiles() throws {
        try makeKeys(lost)
        try settle(desk, laptop, lost)
        try desk.remove(lost)
        let id = try lost.view().device.id
        try loseHeads(of: id, at: desk)
        #expect(try desk.view().membership.others == [id])
    }

    /// One member has merged less of it than the one that removes it, and finds only its later head in the store.
    @Test func theOthersFindWhatCountsByTheHeadThatWasMerged() throws {
        try lost.set("late", "", "1")
        try lost.sync(store)
        try desk.takeIn(store)
        try desk.remove(lost)
        try desk.put(store)
        for path in try sayMore() { store.files[path] = nil }
        try settle(laptop, desk)
        #expect(try laptop.get("late") == "1" && laptop.names == ["before", "late"])
    }

    /// Attacker 10 knows the end of what counts, and makes a head of its own for it. That takes the true one's place nowhere.
    @Test func aForgedHeadReplacesNone() throws {
        try lost.set("late", "", "1")
        try lost.sync(store)
        try desk.takeIn(store)
        let (own, device) = (try desk.view(), try lost.view().device.id)
        let head = try #require(own.streams[device]?.newest)
        let removal = try desk.signed(desk.vault.removal(of: [device], desk.classKeys))
        try desk.give([.seen([SeenEnd(device, head.head.end)]), .statement(removal)])
        try desk.put(store)
        let forged = SignedHead(head.head, signature: head.signature.map { $0 ^ 1 })
        _ = try laptop.vault.takeIn(
            heads: [forged.bytes] + store.heads, segments: store.names.compactMap { store.files[$0] }, laptop.classKeys)
        let view = try laptop.view()
        #expect(view.streams[device]?.newest == head && view.unnamed.isEmpty)
        #expect(view.whatCounts(of: device).contains(head.head.end.chain))
        #expect(try laptop.names == ["before", "late"])
    }

    /// Attacker 11: it signs a head that gives its last record another number. What it had said before stays with the
    /// others.
    @Test func aHeadThatLiesTakesNothingAway() throws {
        try desk.remove(lost)
        try desk.put(store)
        try settle(laptop, desk)
        let own = try lost.view().device
        let head = try #require(try lost.view().streams[own.id]?.newest?.head)
        let end = try #require(RunEnd(run: head.end.run, number: head.end.number + 100, chain: head.end.chain))
        let lie = try StreamHead(
            circle: head.circle, device: head.device, predecessor: head.predecessor, end: end, time: head.time + 1,
            stateDigest: head.stateDigest, seen: head.seen)
        let password = try lost.vault.circleSecrets(own.keys.random, lost.classKeys).streamPassword
        let signature = try lost.fixture.sealer.sign(
            SHA256.digest(lie.bytes), with: own.signingKeys.stream, point: own.keys.stream, password: password,
            record: lost.fixture.record)
        store.files[.head(circle: head.circle, device: head.device)] =
            SignedHead(lie, signature: SignedStatement.lower(signature)).bytes
        for _ in 0..<2 {
            for machine in [laptop, desk] {
                #expect(try machine.sync(store).deleted == 0)
                #expect(try machine.names == ["before"])
            }
        }
    }

    /// An earlier version has not passed that head on, so what counts is found behind a later record only. That is not kept,
    /// and the machine says what it has taken in as its own.
    @Test func whatWasFoundBehindALaterRecordStays() throws {
        try lost.set("late", "", "1")
        try lost.sync(store)
        try desk.takeIn(store)
        try removeWithoutItsHead()
        let late = try sayMore()
        for _ in 0..<2 { try laptop.takeIn(store) }
        #expect(try laptop.names == ["before", "late"])
        for path in late { store.files[path] = nil }
        for _ in 0..<2 { for machine in [laptop, desk] { try machine.sync(store) } }
        for machine in [desk, laptop] {
            #expect(try machine.names == ["before", "late"] && machine.get("late") == "1")
        }
    }

    /// A member knows a later head of it, and not the record. Who joins there is shown the head that leads to what counts.
    @Test func anAnswerShowsTheHeadThatLeadsToWhatCounts() throws {
        let id = try lost.view().device.id
        let admin = try added(as: .admin)
        try removeWithoutItsHead()
        let late = try sayMore()
        let heads = store.files.filter { if case .head(_, id) = $0.key { true } else { false } }
        _ = try admin.vault.takeIn(heads: Array(heads.values), segments: [], admin.classKeys)
        #expect(try admin.view().missing(of: id) > 0)
        for path in late + heads.keys { store.files[path] = nil }
        try admin.sync(store)
        #expect(try admin.view().membership.others == [id])
        let spare = try CircleMachine("spare")
        try spare.join(admin)
        try admin.put(store)
        try spare.takeIn(store)
        #expect(try spare.names == ["before"] && spare.get("before") == "1")
    }

    /// A reader passes on a later head of the machine, and a file has the records before it besides what counts
    /// (attackers 11 and 14).
    @Test func aReaderMakesNothingCount() throws {
        let server = try server()
        try lost.set("late", "", "1")
        try lost.sync(store)
        try desk.takeIn(store)
        try desk.remove(lost)
        try desk.put(store)
        _ = try sayMore()
        let view = try lost.view()
        let head = try #require(view.streams[view.device.id]?.newest)
        // One file has all of them.
        let records = try #require(view.streams[view.device.id]).counted.map { try lost.record($0.record) }
        let first = try #require(view.streams[view.device.id]?.counted.first?.record.header)
        let start = try ChainHash(circle: first.circle, device: first.device, run: first.run, after: nil)
        for path in store.names {
            if case .segment(_, view.device.id, _, _) = path { store.files[path] = nil }
        }
        store.files[
            .segment(circle: first.circle, device: first.device, number: first.number, run: first.run)
        ] = try RecordSegment(before: start, records: records).bytes
        try server.give([.head(head)])
        try server.put(store)
        for _ in 0..<3 { for machine in [laptop, desk] { try machine.sync(store) } }
        for machine in [laptop, desk] {
            #expect(try machine.names == ["before", "late"])
            let view = try machine.view()
            #expect(view.unnamed.isEmpty)
        }
    }

    /// The desk removes the machine as an earlier version did: it passes on no head of what it had merged.
    private func removeWithoutItsHead() throws {
        let device = try lost.view().device.id
        let end = try #require(try desk.view().streams[device]?.newest?.head.end)
        let removal = try desk.signed(desk.vault.removal(of: [device], desk.classKeys))
        try desk.give([.seen([SeenEnd(device, end)]), .statement(removal)])
        try desk.put(store)
    }

    private func loseHeads(of device: WriterID, at machine: CircleMachine) throws {
        let own = try machine.view().device
        try machine.vault.write { (change) throws(VaultError) in
            for (row, _, _) in try change.circleRows() {
                if case .head(device, _, _) = row { try change.put(row, []) }
            }
            try change.put(device: own)
        }
    }

    private func server() throws -> CircleMachine { try added(as: .reader) }

    /// Another machine, whose role the person has chosen.
    private func added(as role: MemberRole) throws -> CircleMachine {
        let machine = try CircleMachine("server")
        let given = try desk.view().present?.name
        try machine.vault.enter(
            desk.add(machine.request(), as: role, given: given), machine.profile, machine.classKeys)
        for _ in 0..<3 { for machine in [desk, laptop, lost, machine] { try machine.sync(store) } }
        return machine
    }

    /// A reader cannot say again what it has.
    @Test func aReaderKeepsWhatTheMachineHadSaid() throws {
        let server = try server()
        try desk.remove(lost)
        try desk.put(store)
        try server.takeIn(store)
        let late = try sayMore()
        try server.takeIn(store)
        for path in late { store.files[path] = nil }
        #expect(try server.takeIn(store).deleted == 0)
        #expect(try server.get("before") == "1")
        #expect(try server.names == ["before"])
    }

    /// Also a vault in which an earlier version has lost the way to it, and the remover's has not passed that on.
    @Test func aReaderDeletesNothingWhileSomethingThatCountsIsMissing() throws {
        let server = try server()
        try removeWithoutItsHead()
        try server.takeIn(store)
        let id = try lost.view().device.id
        let hidden = store.files.filter { if case .head(_, let device) = $0.key { device == id } else { false } }
        for path in hidden.keys { store.files[path] = nil }
        try loseHeads(of: id, at: server)
        try laptop.vault.delete(service: "before", account: "")
        // It sends keys to the others first.
        for _ in 0..<2 { try laptop.sync(store) }
        #expect(try server.view().lacksOfRemoved)
        #expect(try server.takeIn(store).deleted == 0 && server.names == ["before"])
        store.files.merge(hidden) { $1 }
        for _ in 0..<2 { try server.takeIn(store) }
        #expect(try server.names.isEmpty)
    }
}
