import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What machines must agree on whatever happens to them: the cases of the design's list that are about whole vaults.
struct CircleObligationTests {
    private let presence: AccessControl

    init() throws { presence = try AccessControl(requirements: [.userPresence]) }

    // MARK: Clocks

    /// T9: a clock two days ahead. One machine takes its record in today, another one three days later.
    @Test func aStampAheadIsJudgedAlikeWheneverItComes() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("github", "", "1")
        try group.settle()
        laptop.fixture.advance(milliseconds: 2 * 86_400_000)
        try laptop.set("github", "", "ahead")
        try desk.set("github", "", "in time")
        try laptop.sync(group.store)
        try desk.sync(group.store)
        phone.fixture.advance(milliseconds: 3 * 86_400_000)
        try group.settle()
        #expect(try group.get("github") == ["ahead"])
        #expect(try group.values("github") == Array(repeating: ["ahead", "in time"], count: 3))
        // One wrong clock moves no other one, and what sees its value is later still.
        try desk.set("gitlab", "", "1")
        try desk.set("github", "", "later")
        try group.settle()
        #expect(try group.get("github") == ["later"])
        let items = try desk.view().state.items
        let other = try #require(items.first { $0.name.service == "gitlab" }?.shown(.name))
        #expect(!other.stamp.isAhead(of: desk.fixture.clock.withLock { $0 }))
    }

    /// T15: the clock of one machine says 2099. It empties its bin, and drops what has expired, at nobody else.
    @Test func aClockOf2099LosesNothingElsewhere() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for name in ["binned", "expiring", "stays"] { try desk.set(name, "", name) }
        try desk.edit("expiring", MetadataChanges(expires: 1_900_000_000_000))
        try group.settle()
        try laptop.vault.putAside(service: "binned", account: "")
        try group.settle()
        let former = desk.fixture.clock.withLock { $0 }
        desk.fixture.clock.withLock { $0 = 4_080_000_000_000 }
        for _ in 0..<3 {
            _ = try desk.vault.sweepBin(limit: 100)
            _ = try desk.vault.sweep(expiredBy: 4_080_000_000_000, limit: 100)
            try desk.sync(group.store)
            try laptop.sync(group.store)
        }
        #expect(try desk.names == ["stays"] && desk.vault.deletedItems().isEmpty)
        #expect(try laptop.names == ["expiring", "stays"])
        #expect(try laptop.get("expiring") == "expiring")
        #expect(try laptop.vault.deletedItems().count == 1)
        // Somebody restores it, and the clock is mended: the machine has both again.
        try laptop.vault.putBack(service: "binned", account: "")
        desk.fixture.clock.withLock { $0 = former + 3_600_000 }
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["binned", "expiring", "stays"]) }
    }

    /// T14: three machines that nobody uses, for a year. Each says that it is there, and that is no record.
    @Test func idleMachinesWriteNoRecord() throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        try group.machines[0].set("github", "", "1")
        try group.settle()
        func withoutHeads() -> [StorePath: [UInt8]] {
            group.store.files.filter { if case .head = $0.key { false } else { true } }
        }
        let before = withoutHeads()
        for _ in 0..<52 {
            for machine in group.machines {
                machine.fixture.advance(milliseconds: 7 * 86_400_000)
                try machine.sync(group.store)
            }
        }
        let isSame = withoutHeads() == before
        #expect(isSame)
        // One change makes one record, and answers make none.
        let records = try group.records()
        try group.machines[0].set("github", "", "2")
        for machine in group.machines + group.machines + group.machines { try machine.sync(group.store) }
        #expect(try group.records() == records + 1)
    }

    /// M9-35: a machine that was off for a year comes back with changes of its own.
    @Test func aMachineThatWasOffForAYearLosesNothing() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for name in ["both", "deleted", "here"] { try desk.set(name, "", "1") }
        try group.settle()
        try laptop.set("both", "", "of the laptop")
        try laptop.set("new", "", "of the laptop")
        for week in 0..<20 {
            desk.fixture.advance(milliseconds: 18 * 86_400_000)
            try desk.set("both", "", "of the desk \(week)")
            try desk.sync(group.store)
        }
        try desk.vault.delete(service: "deleted", account: "")
        try desk.sync(group.store)
        laptop.fixture.advance(milliseconds: 365 * 86_400_000)
        try group.settle()
        for machine in group.machines { #expect(try machine.names == ["both", "here", "new"]) }
        #expect(try group.values("both") == Array(repeating: ["of the desk 19", "of the laptop"], count: 2))
    }

    // MARK: Keys

    /// M9-29, attacker 10: the store withholds a generation from one member. What is sealed to it waits there, and is
    /// counted. Nothing is lost at anybody, and all of it comes once the generation is shown.
    @Test(arguments: [false, true]) func aGenerationThatIsWithheldIsWaitedFor(_ writesByAnother: Bool) throws {
        let group = try CircleGroup("desk", "phone", "laptop", "lost")
        let (desk, phone, laptop) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("both", "", "1")
        try desk.set("gone", "", "1")
        try group.settle()
        let before = Set(group.store.names)
        // Nobody tells the laptop of the removal, and of the keys that come with it.
        try desk.remove(group.machines[3])
        try desk.put(group.store)
        let secret = Dictionary(
            uniqueKeysWithValues: group.store.names.filter { !before.contains($0) }.map { ($0, group.store.files[$0]) })
        let made = try #require(try desk.view().present)
        let writer = writesByAnother ? phone : desk
        try writer.takeIn(group.store)
        try writer.set("both", "", "2")
        try writer.set("new", "", "3")
        try writer.vault.delete(service: "gone", account: "")
        try writer.sync(group.store)
        for path in secret.keys { group.store.files[path] = nil }
        try laptop.set("own", "", "4")
        let taken = try laptop.sync(group.store)
        #expect(try laptop.view().generations[made.name] == nil)
        let waiting = try #require(try laptop.vault.circleState(laptop.classKeys)).waiting
        #expect(waiting == taken.waiting && (waiting > 0 || !writesByAnother))
        // The desk's own records lie behind a gap, which is known by its head.
        let stream = try #require(try laptop.view().streams[desk.view().device.id])
        #expect(!stream.gaps.isEmpty)
        #expect(try laptop.names == ["both", "gone", "own"] && laptop.get("both") == "1")
        // It stays so however often it looks, and it says no word against what it lacks.
        for _ in 0..<3 { try laptop.sync(group.store) }
        #expect(try laptop.names == ["both", "gone", "own"] && laptop.view().pending.isEmpty)
        for machine in [desk, phone] {
            try machine.sync(group.store)
            #expect(try machine.names == ["both", "new", "own"] && machine.get("both") == "2")
        }
        for (path, content) in secret { group.store.files[path] = content }
        for _ in 0..<3 { for machine in [laptop, desk, phone] { try machine.sync(group.store) } }
        for machine in [desk, phone, laptop] {
            #expect(try machine.names == ["both", "new", "own"])
            #expect(try machine.get("both") == "2" && machine.get("new") == "3" && machine.get("own") == "4")
            #expect(try machine.vault.circleState(machine.classKeys)?.waiting == 0)
            _ = try machine.vault.verify()
        }
        #expect(Set(try [desk, phone, laptop].map { try $0.digest() }).count == 1)
    }

    // MARK: Access

    /// T11, M9-15: a tightening beside a new value. Nobody reads the value for less, and it is sealed anew without a record.
    @Test(arguments: [false, true]) func aTighteningHoldsForAValueSetBeside(_ isValueLater: Bool) throws {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("bank", "", "1")
        try group.settle()
        if isValueLater { laptop.fixture.advance(milliseconds: 3_600_000) }
        try laptop.set("bank", "", "2")
        let item = try desk.find("bank")
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.reseal(item, desk.opened(item), access: presence)
        try desk.sync(group.store)
        try laptop.sync(group.store)
        // The phone is locked when both come, and takes them in when it is unlocked.
        let keys = phone.classKeys
        phone.classKeys = keys.locked()
        #expect(throws: VaultError.self) { try phone.takeIn(group.store) }
        phone.classKeys = keys
        try group.settle()
        for machine in group.machines {
            #expect(try machine.find("bank").access == presence)
            #expect(throws: VaultError.self) { try machine.get("bank") }
        }
        let values = try group.machines.map { machine in try machine.guarded("bank", "") }
        #expect(Set(values).count == 1)
    }

    /// T11, M9-17: two tightenings that neither contains the other.
    @Test func twoTighteningsBothHold() throws {
        let group = try CircleGroup("desk", "laptop")
        try group.machines[0].set("bank", "", "1")
        try group.settle()
        let passcode = try AccessControl(requirements: [.devicePasscode])
        for (machine, access) in zip(group.machines, [presence, passcode]) {
            let item = try machine.find("bank")
            machine.fixture.advance(milliseconds: 1000)
            try machine.vault.reseal(item, machine.opened(item), access: access)
        }
        for _ in 0..<3 { for machine in group.machines { try machine.sync(group.store) } }
        for machine in group.machines {
            // Neither machine gives its value out for less than its own person has asked for.
            #expect(throws: VaultError.self) { try machine.get("bank") }
            let access = try machine.find("bank").access
            #expect(
                access.requirements.isSuperset(of: machine === group.machines[0] ? [.userPresence] : [.devicePasscode]))
        }
        let floors = try group.machines.map { try $0.view().state.items[0].floor }
        #expect(floors[0] == floors[1] && floors[0].count == 2)
        // Each decides what it can: with both proofs the value is set anew.
        let both = try AccessControl(requirements: [.userPresence, .devicePasscode])
        let desk = group.machines[0]
        let item = try desk.find("bank")
        desk.fixture.advance(milliseconds: 3_600_000)
        try desk.vault.reseal(item, desk.opened(item), access: both)
        try group.settle()
        for machine in group.machines {
            #expect(try machine.find("bank").access == both)
            #expect(try machine.guarded("bank", "") == "1")
        }
    }

    /// M9-18: one machine keeps an item for itself while another one sets it.
    @Test func anItemThatIsKeptHereStaysWithWhoSetsIt() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try group.settle()
        try laptop.set("github", "", "2")
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        for _ in 0..<3 { for machine in group.machines { try machine.sync(group.store) } }
        #expect(try desk.get("github") == "mine")
        #expect(try laptop.get("github") == "2")
        #expect(try desk.digest() == laptop.digest())
        for file in group.store.files.values { #expect(!String(decoding: file, as: UTF8.self).contains("mine")) }
    }

    /// T16, M9-30: a release beside a new value. It is a way to the value that it was for, and to no other one.
    @Test func aReleaseIsOfTheValueThatItWasFor() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("bank", "me", "old", presence)
        try group.settle()
        let phone = try CircleMachine("phone", clock: 1_800_001_000_000)
        try phone.join(desk)
        try desk.put(group.store)
        // The laptop has not heard of the phone, and the desk has not heard of the new value.
        laptop.fixture.advance(milliseconds: 3_600_000)
        try laptop.set("bank", "me", "new", presence)
        try desk.release()
        try desk.sync(group.store)
        try laptop.sync(group.store)
        for _ in 0..<3 { for machine in [desk, laptop, phone] { try machine.sync(group.store) } }
        #expect(try desk.guarded("bank", "me") == "new" && laptop.guarded("bank", "me") == "new")
        #expect(try phone.names.isEmpty, "the old value's slot opens the new one nowhere")
        let view = try phone.view()
        let own = view.device.id
        for change in view.state.items[0].revisions(of: .field(.secret)) {
            let value = try #require(try view.value(of: change)?.value)
            #expect(view.slots(of: change, value).joined().allSatisfy { $0.device != own })
        }
        try laptop.release()
        for _ in 0..<3 { for machine in [desk, laptop, phone] { try machine.sync(group.store) } }
        #expect(try phone.guarded("bank", "me") == "new")
    }

    /// Two items are renamed to names that others have on one machine. There they keep what they have, and nothing is
    /// written each time that something is taken in.
    @Test func namesThatStayTakenChangeNothing() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        for number in 1...2 {
            try desk.set("taken \(number)", "", "mine", .whenUnlocked.thisDeviceOnly)
            try laptop.set("item \(number)", "", "1")
        }
        try group.settle()
        for number in 1...2 {
            laptop.fixture.advance(milliseconds: 1000)
            try laptop.vault.rename(laptop.find("item \(number)"), service: "taken \(number)", account: "")
        }
        try laptop.sync(group.store)
        for _ in 0..<3 {
            let taken = try desk.sync(group.store)
            #expect(taken.updated == 0 && taken.obstacles["name-taken"] ?? 2 == 2)
            #expect(try desk.names == ["item 1", "item 2", "taken 1", "taken 2"])
        }
        #expect(try laptop.names == ["taken 1", "taken 2"])
    }

    // MARK: Records that nobody knows yet

    /// M9-39: a record of a later version waits, holds up nothing, and is not said to have been taken in.
    @Test func aRecordOfALaterVersionWaits() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try laptop.set("github", "", "1")
        try group.settle()
        let (writer, item, _) = try laptop.writer()
        try laptop.give([
            .unknown(kind: 99, content: [1, 2, 3]),
            .changes([CarriedChange(writer.set(.label, of: item, to: .text(Array("label".utf8))))]),
        ])
        try laptop.put(group.store)
        #expect(try desk.sync(group.store).waiting == 1)
        #expect(try desk.find("github").metadata.label == "label")
        try laptop.sync(group.store)
        let device = try desk.view().device.id
        #expect(try !laptop.view().hasTakenAll(device))
        #expect(try desk.sync(group.store).waiting == 1)
        try desk.set("github", "", "2")
        try desk.sync(group.store)
        try laptop.sync(group.store)
        #expect(try laptop.get("github") == "2")
    }

    /// M9-24: an item whose value is sealed anew on one machine, and set on another one.
    @Test func sealingAnewIsNoNewValue() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try group.settle()
        try laptop.set("github", "", "2")
        let item = try desk.find("github")
        desk.fixture.advance(milliseconds: 3_600_000)
        try desk.vault.reseal(item, desk.opened(item), access: .afterFirstUnlock)
        try group.settle()
        // The value that was only sealed anew is later, and the one that was set is kept.
        #expect(Set(try group.values("github")[0]) == ["1", "2"])
        #expect(try group.values("github")[0] == group.values("github")[1])
    }
}

extension CircleGroup {
    /// How many records the store has.
    fileprivate func records() throws -> Int {
        try store.names.reduce(0) { count, path in
            try count + RecordSegment(decoding: #require(store.files[path])).records.count
        }
    }
}
