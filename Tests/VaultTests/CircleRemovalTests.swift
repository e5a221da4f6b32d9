import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Machines that are taken out of a circle (attacker 11 has one of them).
struct CircleRemovalTests {
    private let store = CircleStore()

    private func three() throws -> (desk: CircleMachine, laptop: CircleMachine, lost: CircleMachine) {
        let (desk, laptop, lost) = (try CircleMachine("desk"), try CircleMachine("laptop"), try CircleMachine("lost"))
        try desk.found()
        try desk.put(store)
        for machine in [laptop, lost] {
            try machine.join(desk)
            try desk.put(store)
        }
        try desk.set("github", "me", "1")
        try settle(desk, laptop, lost)
        return (desk, laptop, lost)
    }

    private func settle(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        let digests = try machines.map { try $0.digest() }
        #expect(Set(digests).count == 1)
        for machine in machines { _ = try machine.vault.verify() }
    }

    @Test func aRemovedMachineReadsNothingThatComesLater() throws {
        let (desk, laptop, lost) = try three()
        try desk.remove(lost)
        try desk.put(store)
        try desk.set("github", "me", "2")
        try desk.set("new", "", "3")
        try settle(desk, laptop)
        #expect(try laptop.get("github", "me") == "2")
        #expect(try lost.sync(store).added == 0)
        #expect(try lost.get("github", "me") == "1")
        #expect(try lost.names == ["github/me"])
        #expect(try lost.vault.circleState(lost.classKeys)?.isMember == false)
        // Not with all files and all its keys either.
        let view = try lost.view()
        let present = try #require(desk.view().present)
        #expect(view.halves[present.name] == nil)
        let open = view.streams.values.flatMap(\.counted).filter { $0.record.header.generation == present.name }
        #expect(!open.isEmpty)
        for one in open {
            let record = try lost.record(one.record)
            for halves in view.halves.values { #expect(try RecordSealing.open(record, half: halves.metadata) == nil) }
        }
    }

    @Test func whatItSaysAfterwardsHasNoEffect() throws {
        let (desk, laptop, lost) = try three()
        // It gives something out that the desk has merged, and something that nobody has.
        try lost.set("before", "", "1")
        try settle(desk, laptop, lost)
        let offline = try lost.copy()
        try desk.remove(lost)
        try desk.put(store)
        try lost.put(offline)
        try lost.set("after", "", "2")
        // It has not heard of its removal.
        _ = try lost.vault.takeIn(heads: [], segments: [], lost.classKeys)
        if let prepared = try lost.vault.giveOut(heads: [], lost.classKeys) { try lost.commit(prepared) }
        let alone = CircleStore()
        try lost.put(alone)
        store.files.merge(alone.files) { _, its in its }
        let rows = try desk.rowCount()
        try settle(desk, laptop)
        #expect(try desk.rowCount() <= rows + 3, "what has no effect fills no vault")
        for machine in [desk, laptop] { #expect(try machine.names == ["before", "github/me"]) }
    }

    /// Two that are removed say of each other how far they count.
    @Test func onlyMembersVouch() throws {
        let (desk, laptop, lost) = try three()
        let devices = try [laptop, lost].map { try $0.view().device.id }.sorted()
        let removal = try desk.signed(desk.vault.removal(of: devices, desk.classKeys))
        try desk.commit(desk.vault.remove(removal, desk.classKeys))
        try desk.put(store)
        // Neither has heard of it.
        try lost.set("after", "", "2")
        _ = try lost.vault.takeIn(heads: [], segments: [], lost.classKeys)
        if let prepared = try lost.vault.giveOut(heads: [], lost.classKeys) { try lost.commit(prepared) }
        let alone = CircleStore()
        try lost.put(alone)
        let view = try lost.view()
        let own = view.streams[view.device.id]?.counted ?? []
        let last = try #require(own.max { $0.record.header.number < $1.record.header.number }?.end)
        try laptop.give([.seen([SeenEnd(view.device.id, last)])])
        try laptop.put(alone)
        store.files.merge(alone.files) { _, its in its }
        try settle(desk)
        #expect(try desk.names == ["github/me"])
    }

    /// One member had merged more of the removed machine than the one that removed it.
    /// - Parameter hasSaid: whether the member has said what it had merged before it learns of the removal.
    @Test(arguments: [false, true]) func whatAMemberHasMergedBeforeCountsForAll(hasSaid: Bool) throws {
        let (desk, laptop, lost) = try three()
        try lost.set("late", "", "1")
        try lost.sync(store)
        if hasSaid { try laptop.sync(store) } else { try laptop.takeIn(store) }
        #expect(try laptop.get("late") == "1")
        // The desk did not see it.
        let id = try lost.view().device.id
        let withheld = store.files.filter { path, _ in
            if case .head(_, let device) = path { device == id } else { false }
        }
        for path in withheld.keys { store.files[path] = nil }
        try desk.remove(lost)
        try desk.put(store)
        for path in withheld.keys { store.files[path] = withheld[path] }
        try settle(laptop, desk)
        for machine in [desk, laptop] { #expect(try machine.get("late") == "1") }
        // Somebody who comes later sees the same.
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        try desk.put(store)
        try settle(spare, desk, laptop)
        #expect(try spare.get("late") == "1")
    }

    /// Between the removal and what this vault says of it, nothing that it had goes, and nothing is undone later.
    ///
    /// - Parameter speaksOn: whether the removed machine says something that comes together with the removal.
    @Test(arguments: [false, true]) func whatAMemberHadStaysWhileItLearnsOfTheRemoval(speaksOn: Bool) throws {
        let (desk, laptop, lost) = try three()
        try lost.set("github", "me", "from the lost one")
        try lost.set("late", "", "1")
        try lost.sync(store)
        try laptop.sync(store)
        let id = try lost.view().device.id
        let hidden = store.files.filter { if case .head(_, let device) = $0.key { device == id } else { false } }
        for path in hidden.keys { store.files[path] = nil }
        try desk.remove(lost)
        try desk.put(store)
        store.files.merge(hidden) { $1 }
        if speaksOn {
            try lost.set("github", "me", "afterwards")
            try lost.sync(CircleStore())
            try lost.put(store)
        }
        let taken = try laptop.takeIn(store)
        #expect(taken.updated == 0 && taken.deleted == 0)
        // Also if it cannot say so at once.
        for _ in 0..<2 {
            #expect(try laptop.get("github", "me") == "from the lost one")
            #expect(try laptop.get("late") == "1")
            try laptop.takeIn(store)
        }
        if !speaksOn { #expect(try laptop.view().unnamed.map(\.device) == [id]) }
        try laptop.sync(store)
        let view = try laptop.view()
        #expect(view.unnamed.isEmpty)
        #expect(try view.streams[view.device.id]?.newest?.head.stateDigest == laptop.digest())
        try settle(laptop, desk)
        for machine in [desk, laptop] {
            #expect(try machine.get("github", "me") == "from the lost one")
            let states = try #require(try machine.vault.circleState(machine.classKeys)).machines
            #expect(states.allSatisfy { $0.agrees != false })
            #expect(try machine.conflicts().isEmpty)
        }
    }

    @Test func onlyAnAdminRemovesOthers() throws {
        let (desk, laptop, lost) = try three()
        // Their sealers are software, so both are writers.
        let id = try lost.view().device.id
        #expect(throws: VaultError.self) { try laptop.vault.removal(of: [id], laptop.classKeys) }
        #expect(throws: VaultError.self) { try desk.vault.removal(of: [], desk.classKeys) }
        let stranger = try CircleMachine("stranger")
        try stranger.found()
        #expect(throws: VaultError.self) {
            try desk.vault.removal(of: [stranger.view().device.id], desk.classKeys)
        }
        // A signature of its own does not help it.
        let statement = try Statement(
            circle: desk.view().device.circle, signer: laptop.view().device.id, past: laptop.view().newestStatements,
            .removal([id]))
        #expect(throws: VaultError.self) { try laptop.vault.remove(laptop.signed(statement), laptop.classKeys) }
        #expect(try desk.view().membership.members.count == 3)
    }

    @Test func whoLeavesKeepsItsItemsAndMayComeBack() throws {
        let (desk, laptop, lost) = try three()
        #expect(throws: VaultError.self) { try lost.vault.forgetCircle(lost.classKeys) }
        try lost.remove(lost)
        try lost.put(store)
        try lost.vault.forgetCircle(lost.classKeys)
        #expect(try !lost.vault.hasCircle)
        #expect(try lost.get("github", "me") == "1")
        _ = try lost.vault.verify()
        try lost.reopen()
        try desk.set("github", "me", "2")
        try settle(desk, laptop)
        #expect(try desk.view().membership.members.count == 2)
        // What it had is not newer because it comes back.
        lost.fixture.clock.withLock { $0 = 1_900_000_000_000 }
        try lost.join(desk)
        try desk.put(store)
        try settle(lost, desk, laptop)
        for machine in [desk, laptop, lost] { #expect(try machine.get("github", "me") == "2") }
    }

    /// Nobody has seen yet what it gives out when it leaves. What it says after that has no effect.
    @Test func whoLeavesGivesOutEverythingBefore() throws {
        let (desk, laptop, lost) = try three()
        try lost.set("last", "", "1")
        _ = try lost.vault.takeIn(heads: [], segments: [], lost.classKeys)
        if let prepared = try lost.vault.giveOut(heads: [], lost.classKeys) { try lost.commit(prepared) }
        let present = try lost.copy()
        let leaving = try lost.signed(lost.vault.removal(of: [lost.view().device.id], lost.classKeys))
        try lost.commit(lost.vault.remove(leaving, lost.classKeys))
        try lost.put(store)
        let left = store.files
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try machine.get("last") == "1") }
        let view = try desk.view()
        let id = try #require(view.membership.others.first)
        #expect(view.unnamed.isEmpty && view.whatIsKept(of: id).count == view.whatCounts(of: id).count)
        // A copy of it from before goes on, as if it had not left, and leaves once more.
        let again = try lost.restored(present)
        try again.set("later", "", "2")
        _ = try again.vault.takeIn(heads: [], segments: [], again.classKeys)
        if let prepared = try again.vault.giveOut(heads: [], again.classKeys) { try again.commit(prepared) }
        try again.give([.statement(leaving)])
        let alone = CircleStore()
        try again.put(alone)
        store.files.merge(alone.files) { _, its in its }
        store.files.merge(left) { its, _ in its }
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try machine.names == ["github/me", "last"]) }
    }

    /// A thief lets the machine leave after its owner has removed it, so that what it wrote in between would count.
    @Test func leavingUndoesNoRemoval() throws {
        let (desk, laptop, lost) = try three()
        try desk.remove(lost)
        try desk.put(store)
        // It has not heard of it.
        try lost.set("after", "", "2")
        _ = try lost.vault.takeIn(heads: [], segments: [], lost.classKeys)
        if let prepared = try lost.vault.giveOut(heads: [], lost.classKeys) { try lost.commit(prepared) }
        try lost.remove(lost)
        let alone = CircleStore()
        try lost.put(alone)
        store.files.merge(alone.files) { _, its in its }
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try machine.names == ["github/me"]) }
        #expect(try #require(try desk.vault.circleState(desk.classKeys)).former.map(\.hasLeft) == [false])
        // Who was not removed, and leaves, has left.
        try laptop.remove(laptop)
        try laptop.put(store)
        try desk.sync(store)
        let former = try #require(try desk.vault.circleState(desk.classKeys)).former
        let own = try laptop.view().device.id
        #expect(former.count == 2 && former.allSatisfy { $0.hasLeft == ($0.device == own) })
    }

    /// A member makes keys that open nowhere, so that nobody can give anything out, its own removal included.
    @Test func keysThatDoNotOpenKeepNobodyIn() throws {
        let (desk, laptop, lost) = try three()
        let view = try lost.view()
        let present = try #require(view.present)
        var number: UInt16 = 0
        var forged = present
        while forged.name >= present.name {
            number += 1
            forged = try KeyGeneration(
                circle: view.device.circle, maker: view.device.id, removals: view.membership.removalsDigest,
                publicHalves: [UInt8](repeating: 1, count: KeyGeneration.publicCount - 2) + [
                    UInt8(number >> 8), UInt8(number & 0xFF),
                ],
                receivers: view.membership.members.map {
                    try .init($0.keys.device, sealed: [UInt8](repeating: 1, count: KeyGeneration.Receiver.sealedCount))
                })
        }
        try lost.give([.generation(forged)])
        try lost.put(store)
        _ = try desk.takeIn(store)
        try desk.set("github", "me", "2")
        _ = try desk.takeIn(store)
        #expect(try desk.view().present == forged)
        let error = #expect(throws: VaultError.self) {
            try desk.vault.giveOut(heads: store.heads, desk.classKeys)
        }
        #expect(error?.advice.contains("coffer sync remove \(Hex.encode(view.device.id.bytes))") == true)
        try desk.remove(lost)
        try desk.put(store)
        try settle(desk, laptop)
        #expect(try laptop.get("github", "me") == "2")
    }

    /// A vault that was copied gives nothing out, and can still leave. It comes back with keys of its own.
    @Test func aCopiedVaultCanLeave() throws {
        let (desk, laptop, lost) = try three()
        let copy = try lost.copy()
        // Also the memory was copied, as with a virtual machine.
        let run = try lost.vault.run()
        func giveUnseen(_ machine: CircleMachine, _ service: String) throws {
            try machine.set(service, "", "1")
            _ = try machine.vault.takeIn(heads: [], segments: [], machine.classKeys)
            let prepared = try #require(try machine.vault.giveOut(heads: [], machine.classKeys))
            try machine.commit(prepared)
        }
        try giveUnseen(lost, "one")
        try lost.put(store)
        let other = try lost.restored(copy)
        other.vault.circleRun.withLock { $0 = run }
        try giveUnseen(other, "two")
        let error = #expect(throws: VaultError.self) {
            try other.vault.giveOut(heads: store.heads, other.classKeys)
        }
        #expect(error?.code == .invalidArgument && error?.advice.contains("coffer sync leave") == true)
        try other.remove(other)
        #expect(try other.vault.giveOut(heads: store.heads, other.classKeys) == nil)
        try other.put(store)
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try machine.view().membership.members.count == 2) }
        try other.vault.forgetCircle(other.classKeys)
        try other.reopen()
        try other.join(desk)
        try desk.put(store)
        try settle(other, desk, laptop)
    }

    /// What a removal names of the removed machine counts from then on, and its head says what comes of that.
    @Test func theHeadOfARemovalSaysWhatComesOfIt() throws {
        let (desk, _, lost) = try three()
        try lost.set("late", "", "1")
        try lost.sync(store)
        try desk.takeIn(store)
        try desk.remove(lost)
        let view = try desk.view()
        #expect(view.unnamed.isEmpty && view.state.items.count == 2)
        #expect(try view.streams[view.device.id]?.newest?.head.stateDigest == desk.digest())
    }

    /// A member that may not forget its circle goes on in the run that it began.
    @Test func whoIsAMemberForgetsNothing() throws {
        let (desk, _, lost) = try three()
        let run = try lost.vault.run()
        #expect(vaultError { try lost.vault.forgetCircle(lost.classKeys) } == .invalidArgument)
        #expect(try lost.vault.run() == run)
        try lost.remove(lost)
        try lost.vault.forgetCircle(lost.classKeys)
        #expect(try lost.vault.run() != run)
        #expect(try desk.vault.run() != run)
    }

    @Test func aVaultWithoutACircleForgetsARequest() throws {
        let machine = try CircleMachine("alone")
        _ = try machine.request()
        try machine.vault.forgetCircle(machine.classKeys)
        #expect(try machine.vault.joinRequest == nil)
        try machine.vault.forgetCircle(machine.classKeys)
        _ = try machine.vault.verify()
        try machine.reopen()
        try machine.found()
    }

    /// Nobody is left: each vault keeps its items.
    @Test func theLastOneLeavesToo() throws {
        let (desk, laptop, lost) = try three()
        for machine in [laptop, lost, desk] {
            try machine.takeIn(store)
            try machine.remove(machine)
            try machine.put(store)
        }
        for machine in [desk, laptop, lost] {
            #expect(try machine.takeIn(store).deleted == 0)
            try machine.vault.forgetCircle(machine.classKeys)
            #expect(try machine.get("github", "me") == "1")
        }
    }
}
