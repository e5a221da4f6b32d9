import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// What a machine could read, as a list of what is left to change (attacker 11 has the machine).
struct CircleExposureTests {
    private let store = CircleStore()
    private let presence: AccessControl

    init() throws { presence = try AccessControl(requirements: [.userPresence]) }

    private func three() throws -> (desk: CircleMachine, laptop: CircleMachine, lost: CircleMachine) {
        let (desk, laptop, lost) = (
            try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000),
            try CircleMachine("lost", clock: 1_800_000_900_000)
        )
        try desk.set("old", "", "1")
        try desk.set("early", "", "guarded before", presence)
        try desk.found()
        try desk.put(store)
        for machine in [laptop, lost] {
            try machine.join(desk)
            try desk.put(store)
        }
        try desk.set("github", "", "1")
        try desk.set("bank", "", "guarded", presence)
        try settle(desk, laptop, lost)
        return (desk, laptop, lost)
    }

    private func settle(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        #expect(Set(try machines.map { try $0.digest() }).count == 1)
    }

    private func id(_ machine: CircleMachine) throws -> WriterID { try machine.view().device.id }

    /// What a machine says of another one: "service" for what asks nobody, "service?" for what asks there.
    private func exposed(_ device: WriterID, by machine: CircleMachine) throws -> [String] {
        try machine.vault.exposure(to: device, machine.classKeys).items
            .map { $0.name.service + ($0.asks ? "?" : "") }.sorted()
    }

    /// - Returns: the machine's id.
    private func remove(_ lost: CircleMachine, by desk: CircleMachine) throws -> WriterID {
        let device = try id(lost)
        try desk.remove(lost)
        try desk.put(store)
        return device
    }

    @Test func theListShrinksAsSecretsAreChanged() throws {
        let (desk, laptop, lost) = try three()
        // A member reads all that asks nobody, and what has a slot for it.
        #expect(try exposed(id(lost), by: desk) == ["bank?", "github", "old"])
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine) == ["bank?", "github", "old"]) }
        try desk.set("github", "", "2")
        try laptop.set("bank", "", "guarded anew", presence)
        try desk.set("after", "", "3")
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine) == ["old"]) }
        // The others read it all.
        #expect(try exposed(id(laptop), by: desk) == ["after", "bank?", "github", "old"])
        // Thrown away, nothing is left to change.
        try laptop.vault.putAside(service: "old", account: "")
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine).isEmpty) }
    }

    /// The change was given out under keys that the removed machine has.
    @Test func whatAMemberSetsThatDidNotKnowOfTheRemovalStaysListed() throws {
        let (desk, laptop, lost) = try three()
        let device = try remove(lost, by: desk)
        // The laptop hears nothing of it.
        let present = store.files
        try laptop.set("github", "", "2")
        _ = try laptop.vault.takeIn(heads: [], segments: [], laptop.classKeys)
        try laptop.commit(#require(try laptop.vault.giveOut(heads: [], laptop.classKeys)))
        let alone = CircleStore()
        try laptop.put(alone)
        store.files = present.merging(alone.files) { _, its in its }
        try settle(desk, laptop)
        #expect(try desk.get("github") == "2")
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine).contains("github")) }
        // It knows by now.
        try laptop.set("github", "", "3")
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try !exposed(device, by: machine).contains("github")) }
    }

    /// A change that waits goes to members only.
    @Test func whatIsNotGivenOutYetIsForThePresentMembers() throws {
        let (desk, laptop, lost) = try three()
        try desk.set("github", "", "2")
        try desk.set("bank", "", "guarded anew", presence)
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        #expect(try Set(["bank?", "github"]).isSubset(of: exposed(id(lost), by: desk)))
        // Also what has slots for it, which were made before.
        let device = try remove(lost, by: desk)
        #expect(try Set(["bank?", "github"]).isDisjoint(with: exposed(device, by: desk)))
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try Set(["bank?", "github"]).isDisjoint(with: exposed(device, by: machine)))
        }
    }

    /// Keys of a generation from before it came are given to each new machine.
    @Test func whoCameLateReadsWhatWasThereBefore() throws {
        let (desk, laptop, lost) = try three()
        let late = try CircleMachine("late")
        let gone = try remove(lost, by: desk)
        try desk.set("between", "", "1")
        try settle(desk, laptop)
        try late.join(desk)
        try desk.put(store)
        try settle(late, desk, laptop)
        let device = try remove(late, by: desk)
        try desk.set("after", "", "2")
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try exposed(device, by: machine) == ["between", "github", "old"])
            #expect(try exposed(gone, by: machine) == ["bank?", "github", "old"])
        }
    }

    /// Guarded items are for those that had a slot: when the value was set, or by a release.
    @Test func whatWasReleasedIsListed() throws {
        let (desk, laptop, lost) = try three()
        let late = try CircleMachine("late")
        try late.join(desk)
        try desk.put(store)
        try settle(late, desk, laptop, lost)
        #expect(try exposed(id(late), by: desk) == ["github", "old"])
        #expect(try exposed(id(lost), by: desk) == ["bank?", "github", "old"])
        // Before it is given out, and then.
        try desk.release()
        _ = try desk.takeIn(store)
        #expect(try exposed(id(late), by: desk) == ["bank?", "early?", "github", "old"])
        try settle(late, desk, laptop, lost)
        let device = try remove(late, by: desk)
        try settle(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try exposed(device, by: machine) == ["bank?", "early?", "github", "old"])
        }
    }

    /// What a machine has set itself, it knows.
    @Test func whatItHasSetItselfIsListed() throws {
        let (desk, laptop, lost) = try three()
        try lost.set("own", "", "1")
        try lost.set("own guarded", "", "2", presence)
        try settle(lost, desk, laptop)
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        #expect(try Set(["own", "own guarded?"]).isSubset(of: exposed(device, by: laptop)))
    }

    /// It has no slot for itself, for example because others have used up the room.
    @Test func whatItHasSetItselfAfterwardsIsListed() throws {
        let (desk, laptop, lost) = try three()
        let others = try [desk, laptop].map { try $0.view().device.keys }
        try lost.vault.write { (change) throws(VaultError) in
            guard let bytes = try change.circle(.device) else { throw .noCircle }
            let own = try CircleDevice(decoding: bytes)
            try change.put(GuardReceivers(circle: own.circle, others))
            try change.put(device: own)
        }
        try lost.set("own", "", "2", presence)
        try settle(lost, desk, laptop)
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine).contains("own?")) }
    }

    /// The same value under other keys, another name or another field is no other value.
    @Test func aValueThatWasOnlySealedAnewStaysListed() throws {
        let (desk, laptop, lost) = try three()
        try desk.set(field: .otp, of: "github", "seed")
        try settle(desk, laptop, lost)
        let device = try remove(lost, by: desk)
        let before = try exposed(device, by: desk)
        // Other requirements: the value is sealed anew.
        let item = try desk.find("github")
        try desk.vault.reseal(item, desk.opened(item), access: AccessControl(.afterFirstUnlock))
        // Set again with the same value, and put into another field.
        try desk.set("old", "", "1")
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine) == before) }
        try desk.set("old", "", "2")
        try desk.set(field: .notes, of: "old", "1")
        try settle(desk, laptop)
        let found = try laptop.vault.exposure(to: device, laptop.classKeys).items
        #expect(found.first { $0.name.service == "old" }?.fields == [.notes])
        // A field that is changed leaves the other one on the list.
        try laptop.set("github", "", "2", AccessControl(.afterFirstUnlock))
        try settle(desk, laptop)
        let left = try desk.vault.exposure(to: device, desk.classKeys).items
        #expect(left.first { $0.name.service == "github" }?.fields == [.otp])
    }

    /// Nobody can compare guarded values. With a new name they are sealed anew, and may be the same.
    @Test func aGuardedValueThatWasRenamedStaysListed() throws {
        let (desk, laptop, lost) = try three()
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        for (machine, from, to) in [(laptop, "bank", "savings"), (desk, "savings", "giro")] {
            let item = try machine.find(from)
            try machine.vault.rename(item, service: to, account: "", values: machine.opened(item))
            try settle(desk, laptop)
        }
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine).contains("giro?")) }
        try laptop.set("giro", "", "new", presence)
        try settle(desk, laptop)
        #expect(try !exposed(device, by: desk).contains("giro?"))
        // Renamed once more, it is still the new one.
        let item = try desk.find("giro")
        try desk.vault.rename(item, service: "bank", account: "", values: desk.opened(item))
        try settle(desk, laptop)
        for machine in [desk, laptop] { #expect(try !exposed(device, by: machine).contains("bank?")) }
    }

    /// What stays here from now on leaves the others, and the removed machine knows it still.
    @Test func whatBelongsToOneMachineByNowStaysListed() throws {
        let (desk, laptop, lost) = try three()
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        let own = AccessControl(.whenUnlocked, isThisDeviceOnly: true)
        let item = try desk.find("github")
        try desk.vault.reseal(item, desk.opened(item), access: own)
        try settle(desk, laptop)
        #expect(try laptop.names.contains("github") == false)
        #expect(try exposed(device, by: desk).contains("github"))
        #expect(try !exposed(device, by: laptop).contains("github"))
        try desk.set("github", "", "2", own)
        try settle(desk, laptop)
        #expect(try !exposed(device, by: desk).contains("github"))
    }

    /// A value that lost is still what somebody has set, until a person decides.
    @Test func aConflictIsListedUntilItIsDecided() throws {
        let (desk, laptop, lost) = try three()
        let device = try id(lost)
        let present = store.files
        try laptop.set("github", "", "of laptop")
        try laptop.sync(store)
        let ofLaptop = store.files
        store.files = present
        _ = try remove(lost, by: desk)
        try desk.set("github", "", "of desk")
        try desk.sync(store)
        store.files.merge(ofLaptop) { its, _ in its }
        try settle(laptop, desk)
        #expect(try exposed(device, by: desk).contains("github"))
        // To take the value that the machine could read is no change of it.
        let revision = try #require(
            desk.vault.conflicts(desk.classKeys).conflicts.first?.revisions.first {
                try $0.writer == id(laptop)
            })
        _ = try desk.vault.resolve(
            Resolution(
                item: desk.find("github").id, part: .field(.secret), taken: revision.name, keepsOthers: true),
            desk.classKeys)
        try settle(laptop, desk)
        #expect(try desk.get("github") == "of laptop")
        for machine in [desk, laptop] { #expect(try exposed(device, by: machine).contains("github")) }
        try laptop.set("github", "", "new")
        try settle(laptop, desk)
        #expect(try !exposed(device, by: desk).contains("github"))
    }

    @Test func theAnswerHasPages() throws {
        let (desk, _, lost) = try three()
        let device = try id(lost)
        for number in 0..<5 { try desk.set("more \(number)", "", "\(number)") }
        try desk.sync(store)
        var (names, place, calls): ([String], [UInt8], Int) = ([], [], 0)
        while true {
            let (items, next) = try desk.vault.exposure(to: device, after: place, upTo: 2, desk.classKeys)
            names += items.map(\.name.service)
            calls += 1
            guard let next else { break }
            place = next
        }
        #expect(names.sorted() == ["bank", "github", "more 0", "more 1", "more 2", "more 3", "more 4", "old"])
        #expect(calls == 4)
        // One item fits into any room.
        let (items, next) = try desk.vault.exposure(to: device, room: 1, desk.classKeys)
        #expect(items.count == 1 && next != nil)
        // And what fits to the byte is in the answer.
        let (whole, _) = try desk.vault.exposure(to: device, desk.classKeys)
        let room = whole.prefix(3).reduce(0) { $0 + $1.size }
        #expect(try desk.vault.exposure(to: device, room: room, desk.classKeys).items == Array(whole.prefix(3)))
        #expect(try desk.vault.exposure(to: device, room: room - 1, desk.classKeys).items.count == 2)
    }

    /// Comparing many values takes long, so what was opened for it ends a page, too.
    @Test func whatWasOpenedEndsAPage() throws {
        let (desk, laptop, lost) = try three()
        for number in 0..<4 { try desk.set("more \(number)", "", "\(number)") }
        try settle(desk, laptop, lost)
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        for number in 0..<4 { try desk.set("more \(number)", "", "another \(number)") }
        try settle(desk, laptop)
        let (whole, end) = try desk.vault.exposure(to: device, desk.classKeys)
        #expect(!whole.isEmpty && end == nil)
        // Each of the four opens two values: the present one, and the one before.
        try check([1: 4...5, 2: 4...5, 3: 2...3, 4: 2...3, 8: 1...2], whole, of: device, by: desk)
    }

    /// So do those that stay on this machine by now.
    @Test func whatWasOpenedHereEndsAPage() throws {
        let (desk, laptop, lost) = try three()
        for number in 0..<4 { try desk.set("more \(number)", "", "\(number)") }
        try settle(desk, laptop, lost)
        let device = try remove(lost, by: desk)
        try settle(desk, laptop)
        for number in 0..<4 {
            let item = try desk.find("more \(number)")
            try desk.vault.reseal(
                item, desk.opened(item), access: AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        }
        try settle(desk, laptop)
        let (whole, end) = try desk.vault.exposure(to: device, desk.classKeys)
        #expect(Set(whole.map(\.name.service)).isSuperset(of: (0..<4).map { "more \($0)" }) && end == nil)
        // The value here, and the one that was given out.
        try check([1: 4...5, 2: 4...5, 3: 2...3, 4: 2...3], whole, of: device, by: desk)
    }

    /// - Parameter pages: how many there are, by how many values end one. What follows the last of these can be a page.
    private func check(
        _ pages: [Int: ClosedRange<Int>], _ whole: [ItemExposure], of device: WriterID, by desk: CircleMachine
    ) throws {
        for (most, pages) in pages {
            var (items, place, calls): ([ItemExposure], [UInt8], Int) = ([], [], 0)
            while true {
                let (some, next) = try desk.vault.exposure(to: device, after: place, opening: most, desk.classKeys)
                items += some
                calls += 1
                guard let next else { break }
                place = next
            }
            #expect(items == whole && pages.contains(calls), "\(most): \(calls)")
        }
    }

    @Test func onlyAMemberTells() throws {
        let (desk, _, lost) = try three()
        let stranger = try CircleMachine("stranger")
        try stranger.found()
        let foreign = try id(stranger)
        #expect { try desk.vault.exposure(to: foreign, desk.classKeys) } throws: {
            ($0 as? VaultError)?.code == .notFound
        }
        let own = try id(desk)
        _ = try remove(lost, by: desk)
        try lost.sync(store)
        #expect(throws: VaultError.self) { try lost.vault.exposure(to: own, lost.classKeys) }
    }
}
