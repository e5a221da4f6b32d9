import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// A broker that was taken over (attacker 13) writes compactions of its own making.
struct CircleCompactionAttackTests {
    private let group: CircleGroup
    private var desk: CircleMachine { group.machines[0] }
    private var laptop: CircleMachine { group.machines[1] }
    private var phone: CircleMachine { group.machines[2] }

    init() throws {
        group = try CircleGroup("desk", "laptop", "phone", room: Room(given: 56 << 10))
        try laptop.set("bank", "", "from the laptop")
        try group.settle()
        try desk.set("bank", "", "from the desk")
        try group.settle()
    }

    private func summary(
        _ machine: CircleMachine, count: UInt32, said: UInt64 = 0, runs: [StreamSummary.Run] = []
    ) throws -> RecordBody { .summary(try StreamSummary(count: count, said: said, runs: runs, seen: [])) }

    /// - Parameter isMeant: nil for all changes.
    private func names(
        of writer: CircleMachine, where isMeant: (PartChange) -> Bool = { _ in true }
    ) throws -> Set<UInt64> {
        let device = try writer.view().device.id
        let view = try desk.view()
        var names: Set<UInt64> = []
        for one in view.streams[device]?.counted ?? [] {
            guard case .changes(let all)? = try view.open(one.record)?.body else { continue }
            names.formUnion(all.map(\.change).filter(isMeant).map(\.name.number))
        }
        return names
    }

    /// What a machine must repeat: statements, generations, and changes that never end.
    private func repeated(
        _ machine: CircleMachine, where isMeant: (PartChange) -> Bool = { !$0.mayEnd }
    ) throws -> [RecordBody] {
        let view = try machine.view()
        var bodies: [RecordBody] = []
        for one in view.streams[view.device.id]?.counted ?? [] {
            switch try view.open(one.record)?.body {
            case .statement(let signed)?: bodies.append(.statement(signed))
            case .generation(let generation)?: bodies.append(.generation(generation))
            case .changes(let all)?:
                let left = all.filter { isMeant($0.change) }
                if !left.isEmpty { bodies.append(.changes(left)) }
            default: break
            }
        }
        return bodies
    }

    private func settle() throws { for _ in 0..<3 { for machine in group.machines { try machine.sync(group.store) } } }

    private func isKept(_ device: WriterID, by machine: CircleMachine) throws -> Int {
        try machine.view().streams[device]?.counted.count ?? 0
    }

    /// It lists the desk's changes as its own, and the desk's runs.
    @Test func nobodyEndsWhatAnotherGaveOut() throws {
        let own = try desk.view().device.id
        let kept = try isKept(own, by: phone)
        let past = PastChanges.records(names: try names(of: desk), values: [:])
        let run = try #require(desk.view().device.end)
        try laptop.give(
            past.map { .past($0) } + [summary(laptop, count: 1, runs: [.init(run.run, run.number)])])
        try laptop.put(group.store)
        try settle()
        #expect(try group.get("bank") == ["from the desk"])
        #expect(try isKept(own, by: phone) >= kept)
    }

    /// What the desk has set replaces something of the laptop's. Nobody must wait for that.
    @Test func whoLeavesOutWhatOthersRestOnIsKeptAsItWas() throws {
        let device = try laptop.view().device.id
        let kept = try isKept(device, by: phone)
        try laptop.give([summary(laptop, count: 0)])
        try laptop.put(group.store)
        for machine in [desk, phone] { try machine.sync(group.store) }
        for machine in [desk, phone] {
            #expect(try machine.view().compacted[device]?.isFaithful == false)
            #expect(try machine.get("bank") == "from the desk")
            #expect(try isKept(device, by: machine) > kept)
            try machine.reopen()
            #expect(try machine.get("bank") == "from the desk")
        }
    }

    /// It has added a machine, and would have the others forget it.
    @Test func membersAreNotForgotten() throws {
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        for _ in 0..<3 { for machine in group.machines + [spare] { try machine.sync(group.store) } }
        #expect(try phone.view().membership.members.count == 4)
        let past = PastChanges.records(names: try names(of: desk), values: [:])
        try desk.give(past.map { .past($0) } + [summary(desk, count: UInt32(past.count))])
        try desk.put(group.store)
        for machine in [laptop, phone] {
            try machine.sync(group.store)
            try machine.reopen()
            #expect(try machine.view().membership.members.count == 4)
        }
    }

    /// It has nothing of what the others name any more, and says other things in a compaction (attacker 11).
    @Test func whoWasRemovedSaysNothingByACompaction() throws {
        let device = try laptop.view().device.id
        try desk.remove(laptop)
        try desk.put(group.store)
        for machine in [desk, phone] { try machine.sync(group.store) }
        let old = group.store.files.filter { if case .segment(_, device, _, _) = $0.key { true } else { false } }
        try laptop.set("bank", "", "forged")
        try laptop.set("new", "", "forged")
        try laptop.sync(CircleStore())
        let bodies = try repeated(laptop) { _ in true }
        let run = try #require(laptop.view().device.end)
        try laptop.give(
            bodies + [summary(laptop, count: UInt32(bodies.count), runs: [])])
        #expect(try laptop.view().device.end?.run == run.run)
        let store = CircleStore()
        store.files = group.store.files
        try laptop.put(store)
        for path in old.keys { store.files[path] = nil }
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        try desk.put(store)
        for machine in [spare, phone, desk] {
            try machine.sync(store)
            #expect(try machine.names.filter { $0 == "new" }.isEmpty)
        }
        // What it says stands for what is missing does not. The others put back what they have.
        #expect(try !spare.names.contains("bank"))
        store.files.merge(old) { $1 }
        try spare.sync(store)
        #expect(try spare.get("bank") == "from the desk")
        #expect(try spare.names == desk.names)
    }

    /// A list of names that are all here, of anybody, changes nothing, in whatever order they are read.
    @Test func whatIsHereComesInItsOrder() throws {
        let past = PastChanges.records(names: try names(of: desk).union(names(of: laptop)), values: [:])
        for machine in [phone, laptop] { try machine.give(past.map { .past($0) }) }
        for machine in [phone, laptop] { try machine.put(group.store) }
        try settle()
        for machine in group.machines {
            #expect(try machine.get("bank") == "from the desk")
            #expect(try machine.conflicts().isEmpty)
            let bank = try #require(machine.view().state.items.first { $0.name.service == "bank" })
            #expect(bank.revisions(of: .field(.secret)).count == 1)
        }
        #expect(try Set(group.machines.map { try $0.digest() }).count == 1)
    }

    /// The laptop has tightened an item, and would have everybody forget it.
    @Test func nobodyLoosensByLeavingOut() throws {
        let presence = AccessControl.whenUnlocked.requiring(.userPresence)
        try laptop.set("pin", "", "asks", presence)
        try settle()
        let past = PastChanges.records(names: try names(of: laptop) { $0.part == .access }, values: [:])
        let bodies = try repeated(laptop) { $0.part != .access } + past.map { .past($0) }
        try laptop.give(bodies + [summary(laptop, count: UInt32(bodies.count))])
        try laptop.put(group.store)
        for machine in [desk, phone] {
            try machine.sync(group.store)
            try machine.reopen()
            let pin = try #require(machine.view().state.items.first { $0.name.service == "pin" })
            #expect(pin.floor == [presence])
            #expect(try machine.get("bank") == "from the desk")
        }
    }

    /// It says to have repeated more than there is, or what nobody can read.
    @Test func aCompactionIsWholeOrNone() throws {
        let device = try laptop.view().device.id
        let last = try #require(laptop.view().device.end?.number)
        try laptop.give([.unknown(kind: 200, content: [1]), summary(laptop, count: UInt32(last) + 1)])
        try laptop.put(group.store)
        try desk.sync(group.store)
        #expect(try desk.view().compacted[device] == nil)
        #expect(try desk.get("bank") == "from the desk")
    }

    /// It takes back names that it had listed, so that who comes later would wait for them.
    @Test func whatWasListedStaysListed() throws {
        let device = try laptop.view().device.id
        let past = PastChanges.records(names: try names(of: laptop) { $0.mayEnd }, values: [:])
        let repeated = try repeated(laptop)
        func give(_ past: [PastChanges]) throws {
            let bodies = repeated + past.map { .past($0) }
            try laptop.give(bodies + [summary(laptop, count: UInt32(bodies.count))])
            try laptop.put(group.store)
            for machine in [desk, phone] { try machine.sync(group.store) }
        }
        try give(past)
        #expect(try desk.view().compacted[device]?.isFaithful == true)
        #expect(try desk.get("bank") == "from the desk")
        let first = try desk.view().compacted[device]?.after
        try give([])
        #expect(try desk.view().compacted[device]?.after == first)
        #expect(try desk.view().state.waits.isEmpty)
        #expect(try desk.get("bank") == "from the desk")
    }

    /// The end of a removed machine's stream, as a member has named it, decides what counts of it.
    @Test func whatIsSaidOfARemovedMachineStays() throws {
        try phone.set("phone", "", "from the phone")
        try settle()
        let device = try desk.view().device.id
        try desk.remove(phone)
        try desk.put(group.store)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let past = PastChanges.records(names: try names(of: desk) { $0.mayEnd }, values: [:])
        let bodies = try repeated(desk) + past.map { .past($0) }
        try desk.give(bodies + [summary(desk, count: UInt32(bodies.count))])
        try desk.put(group.store)
        try laptop.sync(group.store)
        #expect(try laptop.view().compacted[device]?.isFaithful == false)
        #expect(try laptop.get("phone") == "from the phone")
    }

    /// The records between are not there yet, or the store withholds them.
    @Test func aCompactionOfWhichAPartIsWithheldEndsNothing() throws {
        for number in 1...8 {
            try desk.set("file", "", "\(number):" + String(repeating: "x", count: 8_000))
            try desk.sync(group.store)
        }
        for machine in [laptop, phone] { try machine.sync(group.store) }
        let device = try desk.view().device.id
        let last = try #require(desk.view().device.end)
        let before = group.store.files
        try desk.sync(group.store)
        try #require(desk.view().compacted[device] != nil)
        // The compaction without its first record, and all that was there before.
        let (path, content) = try #require(
            group.store.files.first { before[$0.key] == nil })
        let whole = try RecordSegment(decoding: content)
        let tail = try RecordSegment(
            before: whole.before.followed(by: whole.records[0].bytes), records: Array(whole.records.dropFirst()))
        let hiding = CircleStore()
        hiding.files = before.merging(group.store.files) { $1 }
        hiding.files[path] = nil
        hiding.files[
            .segment(
                circle: tail.circle, device: device, number: tail.records[0].header.number, run: tail.run)] = tail.bytes
        try phone.sync(hiding)
        #expect(try phone.view().compacted[device] == nil)
        #expect(try phone.get("file").hasPrefix("8:"))
        #expect(try phone.view().streams[device]?.has(last.chain) == true)
        try phone.sync(group.store)
        #expect(try phone.view().compacted[device] != nil)
    }
}
