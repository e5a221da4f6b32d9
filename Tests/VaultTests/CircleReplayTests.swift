import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What a store shows again, shows late or keeps back, copies of a vault that write at once, and a member that puts one
/// value in another's place (attackers 10, 11 and 13).
struct CircleReplayTests {
    /// An older state of the store: records, generations and members of before.
    @Test func anOlderStoreTakesNothingBack() throws {
        let group = try CircleGroup("desk", "laptop", "lost")
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        for name in ["changed", "deleted"] { try desk.set(name, "", "1") }
        try group.settle()
        let older = group.store.files
        try desk.remove(lost)
        try desk.set("changed", "", "2")
        try desk.vault.delete(service: "deleted", account: "")
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let (present, digest) = (try desk.view().present, try desk.digest())
        group.store.files = older
        for machine in [desk, laptop] {
            let taken = try machine.takeIn(group.store)
            #expect(taken.added + taken.updated + taken.deleted == 0)
            #expect(try machine.get("changed") == "2" && machine.names == ["changed"])
            #expect(try machine.view().membership.members.count == 2)
            #expect(try machine.view().present == present && machine.digest() == digest)
        }
        // What is set now is not for who was removed, and the store gets back what it lost.
        try laptop.set("new", "", "3")
        for machine in [laptop, desk] { try machine.sync(group.store) }
        #expect(try desk.get("new") == "3")
        try lost.sync(group.store)
        #expect(try lost.names == ["changed", "deleted"])
    }

    /// Disk and folder are restored from a backup, and then the folder gets back what came after that.
    ///
    /// - Parameter count: how often the machine has given something out between backup and restoration.
    @Test(arguments: [1, 4]) func whatARestoredMachineHadGivenOutComesBack(count: Int) throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop, store) = (group.machines[0], group.machines[1], group.store)
        try desk.set("github", "me", "0")
        try group.settle()
        let (backup, folder) = (try laptop.copy(), store.files)
        for number in 1...count {
            try laptop.set("since", "", "\(number)")
            try laptop.sync(store)
        }
        try desk.sync(store)
        let elsewhere = store.files
        let restored = try laptop.restored(backup)
        store.files = folder
        try restored.set("anew", "", "2")
        try restored.sync(store)
        store.files.merge(elsewhere) { _, its in its }
        for _ in 0..<4 { for machine in [restored, desk] { try machine.sync(store) } }
        for machine in [restored, desk] {
            #expect(try machine.names == ["anew", "github/me", "since"])
            #expect(try machine.get("since") == "\(count)" && machine.get("anew") == "2")
        }
        // It goes on, and all is quiet.
        try restored.set("later", "", "3")
        for _ in 0..<3 { for machine in [restored, desk] { try machine.sync(store) } }
        #expect(try desk.get("later") == "3")
        #expect(try desk.digest() == restored.digest())
        let id = try restored.view().device.id
        for machine in [restored, desk] { #expect(try machine.view().streams[id]?.isSuspended == false) }
        let (before, rows) = (store.files, try desk.rowCount())
        for machine in [restored, desk] { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
        #expect(try desk.rowCount() == rows)
    }

    /// A removal that the store shows to one member only. Of what the other one has queued, nothing is sealed to the
    /// removed machine once the removal is here.
    @Test func aWithheldRemovalHoldsForWhatIsGivenOutAfterIt() throws {
        let group = try CircleGroup("desk", "laptop", "lost")
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("github", "", "1")
        try group.settle()
        let shown = group.store.files
        try desk.remove(lost)
        try desk.sync(group.store)
        let whole = group.store.files
        group.store.files = shown
        // The laptop cannot know. What it gives out now, the lost machine reads: nobody could prevent that.
        try laptop.set("before", "", "2")
        try laptop.sync(group.store)
        try lost.sync(group.store)
        #expect(try lost.get("before") == "2")
        try laptop.set("queued", "", "3")
        _ = try laptop.vault.takeIn(heads: [], segments: [], laptop.classKeys)
        #expect(try laptop.view().pending.isEmpty == false)
        group.store.files.merge(whole) { one, _ in one }
        for path in whole.keys {
            if case .head = path { group.store.files[path] = group.store.files[path] ?? whole[path] }
        }
        let desksHead = try StorePath.head(circle: desk.view().device.circle, device: desk.view().device.id)
        group.store.files[desksHead] = whole[desksHead]
        for _ in 0..<3 { for machine in [laptop, desk] { try machine.sync(group.store) } }
        #expect(try desk.get("queued") == "3" && desk.get("before") == "2")
        try lost.sync(group.store)
        #expect(try lost.names == ["before", "github"])
        let present = try #require(try desk.view().present)
        #expect(try lost.view().halves[present.name] == nil)
    }

    /// T7, M9-28: two removals at once make two generations, each with a machine that the other one ends. Nobody writes to
    /// either. A third one comes once.
    @Test func twoRemovalsAtOnceEndBothGenerations() throws {
        let store = CircleStore()
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop"))
        let (phone, tablet) = (try CircleMachine("phone"), try CircleMachine("tablet"))
        try desk.found()
        try desk.put(store)
        try laptop.vault.enter(desk.add(laptop.request(), as: .admin), laptop.profile, laptop.classKeys)
        for machine in [phone, tablet] {
            try desk.put(store)
            try machine.join(desk)
        }
        for _ in 0..<3 { for machine in [desk, laptop, phone, tablet] { try machine.sync(store) } }
        let earlier = Set(try desk.view().generations.keys)
        try desk.remove(phone)
        try laptop.remove(tablet)
        let both = [try desk.view().present, try laptop.view().present].compactMap { $0?.name }
        #expect(Set(both).count == 2 && earlier.isDisjoint(with: both))
        for machine in [desk, laptop] { try machine.put(store) }
        try desk.set("github", "", "1")
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(store) } }
        let present = try #require(try desk.view().present)
        #expect(!both.contains(present.name) && present.receivers.count == 2)
        #expect(try laptop.view().present == present && laptop.get("github") == "1")
        let made = Set(try desk.view().generations.keys)
        #expect(made == earlier.union(both + [present.name]))
        for machine in [phone, tablet] {
            try machine.sync(store)
            #expect(try machine.names.isEmpty)
            #expect(try machine.view().halves[present.name] == nil)
        }
    }

    /// T10, M9-34: two copies of one running vault write the same number. Both branches count, for everybody alike, and the
    /// machine is named.
    @Test func bothBranchesOfAForkCount() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("github", "", "1")
        try group.settle()
        let (writer, item, view) = try desk.writer()
        // A snapshot of the machine with its memory: both copies go on in the same run.
        let branches = try ["one", "two"].map { text in
            let change = try writer.set(
                .attribute(Array(text.utf8)), of: item, to: .text(Array(text.utf8)))
            return try desk.vault.read { (snapshot) throws(VaultError) in
                try desk.vault.prepared(view, [.changes([carried(change)])], given: [], from: view)
            }
        }
        #expect(branches[0].head.end.run == branches[1].head.end.run)
        #expect(branches[0].head.end.number == branches[1].head.end.number)
        let heads = try branches.map { prepared in
            let signature = try desk.fixture.sealer.sign(
                prepared.digest, with: prepared.signing.key, point: prepared.signing.point,
                password: prepared.signing.password, record: desk.fixture.record)
            return SignedHead(prepared.head, signature: SignedStatement.lower(signature)).bytes
        }
        // The store shows each of them one branch, and then the other one.
        for (first, machine) in [(0, laptop), (1, phone)] {
            for place in [first, 1 - first] {
                _ = try machine.vault.takeIn(
                    heads: [heads[place]], segments: branches[place].segments.map(\.bytes), machine.classKeys)
            }
        }
        #expect(try laptop.digest() == phone.digest())
        for machine in [laptop, phone] {
            #expect(try machine.find("github").metadata.attributes == ["one": "one", "two": "two"])
            let state = try #require(try machine.vault.circleState(machine.classKeys))
            #expect(state.machines.filter(\.isForked).map(\.device) == [view.device.id])
            // It gets nothing that asks a person, until somebody has looked at it.
            let receivers = try #require(
                try machine.vault.read { (snapshot) throws(VaultError) in
                    try snapshot.receivers(for: .whenUnlocked.requiring(.userPresence))
                })
            #expect(!receivers.machines.contains(view.device.keys))
        }
    }

    private func carried(_ change: PartChange) throws(VaultError) -> CarriedChange {
        do throws(CircleFormError) { return try CarriedChange(change) } catch { throw .impossible(error) }
    }

    /// A member that gives one item, or one field, the sealed value of another one.
    @Test func aValueOfAnotherItemOrFieldIsNotTaken() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("bank", "", "of the bank")
        try desk.set("weather", "", "of the weather")
        try desk.set(field: "notes", of: "weather", "a note")
        try group.settle()
        let view = try laptop.view()
        func item(_ service: String) throws -> SharedItem {
            try #require(view.state.items.first { $0.name.service == service })
        }
        let (bank, weather) = (try item("bank"), try item("weather"))
        let writer = PartWriter(view.state, writer: view.device.id, now: 1_900_000_000_000)
        let secret = SharedPart.field(.secret)
        for (target, part, source, other) in [
            (weather, secret, bank, secret), (bank, secret, weather, secret),
            (weather, SharedPart.field(.notes), weather, secret), (weather, secret, weather, .field(.notes)),
        ] {
            let shown = try #require(source.shown(other))
            guard case .value(let field)? = shown.content, let (value, _) = try view.value(of: shown) else {
                throw VaultError.damaged("there is no value")
            }
            let change = try writer.set(part, of: target, to: .value(field))
            try laptop.give([.changes([CarriedChange(change, value)])])
            try laptop.put(group.store)
            let taken = try desk.sync(group.store)
            #expect(taken.obstacles["unreadable"] ?? 0 > 0)
            #expect(try desk.get("bank") == "of the bank")
            #expect(try desk.get("weather") == "of the weather")
            #expect(try desk.get("weather", "", .notes) == "a note")
            _ = try desk.vault.verify()
        }
    }
}
