import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// A machine gives out once more what the others still need, and the rest goes.
struct CircleCompactionTests {
    /// Seven of them are more than a machine gives out before it looks.
    private func long(_ number: Int) -> String { "\(number):" + String(repeating: "x", count: 8_000) }

    private static let room = Room(given: 56 << 10, givenFiles: 20)

    /// A circle in which the first machine has set one secret many times.
    private func group() throws -> CircleGroup {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        try fill(group)
        return group
    }

    private func fill(_ group: CircleGroup, _ numbers: ClosedRange<Int> = 1...10) throws {
        for number in numbers {
            try group.machines[0].set("file", "", long(number))
            try group.machines[0].sync(group.store)
        }
        for machine in group.machines.dropFirst() { try machine.sync(group.store) }
    }

    private func size(_ store: CircleStore) -> Int { store.files.values.reduce(0) { $0 + $1.count } }

    private func given(_ machine: CircleMachine) throws -> Int {
        let own = try machine.view().device.id
        return try machine.vault.read { (snapshot) throws(VaultError) in
            try machine.vault.view(snapshot, machine.classKeys).0.segments
                .filter { $0.device == own }.reduce(0) { $0 + $1.count }
        }
    }

    @Test func whatNobodyNeedsGoesFromTheStoreAndFromEachVault() throws {
        let group = try group()
        let before = try group.machines[0].digest()
        try group.settle()
        #expect(size(group.store) < 60_000, "one value is left of ten")
        for machine in group.machines {
            #expect(try machine.digest() == before)
            #expect(try machine.get("file") == long(10))
            #expect(try machine.view().compacted.count == 1)
            let kept = try machine.vault.read { (snapshot) throws(VaultError) in
                try machine.vault.view(snapshot, machine.classKeys).0.segments.reduce(0) { $0 + $1.count }
            }
            #expect(kept < 60_000)
        }
        // And again, from there on.
        try fill(group, 11...20)
        try group.settle()
        #expect(size(group.store) < 60_000)
        #expect(try group.get("file") == [long(20)])
    }

    @Test func aMachineThatJoinsLaterHasTheSame() throws {
        let group = try group()
        try group.machines[1].set("laptop", "", "from the laptop")
        try group.settle()
        let spare = try CircleMachine("spare")
        try spare.join(group.machines[0])
        for _ in 0..<2 { for machine in group.machines + [spare] { try machine.sync(group.store) } }
        #expect(try spare.get("file") == long(10))
        #expect(try spare.get("laptop") == "from the laptop")
        #expect(try spare.digest() == group.machines[0].digest())
        let states = try #require(try spare.vault.circleState(spare.classKeys)).machines
        #expect(states.filter { !$0.isOwn }.allSatisfy { $0.hasTakenAll && $0.agrees == true })
    }

    /// It comes back with a change of its own, and the store has none of the files that it has missed.
    @Test func aMachineThatWasAwayComesBack() throws {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        try group.machines[0].set("file", "", "first")
        try group.machines[0].set("other", "", "other")
        try group.settle()
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        for number in 1...10 {
            try desk.set("file", "", long(number))
            for machine in [desk, laptop] { try machine.sync(group.store) }
        }
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        try #require(size(group.store) < 70_000)
        try phone.set("other", "", "from the phone")
        try phone.set("file", "", "phone's")
        try group.settle()
        #expect(try group.get("other") == ["from the phone"])
        #expect(try group.counts() == [1], "both had changed the file")
        #expect(try Set(group.values("file").map(Set.init)) == [[long(10), "phone's"]])
    }

    /// What it has is known by numbers alone, because the records between are gone. A person must not be told that the
    /// present secret is there.
    @Test func whoWasAwayIsNotTakenToHaveAll() throws {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try fill(group, 1...3)
        for machine in [phone, desk] { try machine.sync(group.store) }
        let devices = try [laptop, phone].map { try $0.view().device.id }
        /// What the desk knows of the laptop and the phone: of everything, and of the one item.
        func have() throws -> [Bool] {
            try [nil, desk.find("file").id].flatMap { item in
                let state = try #require(try desk.vault.circleState(desk.classKeys, of: item))
                return try devices.map { id in try #require(state.machines.first { $0.device == id }).hasTakenAll }
            }
        }
        #expect(try have() == [true, true, true, true])
        for number in 4...10 {
            try desk.set("file", "", long(number))
            for machine in [desk, laptop] { try machine.sync(group.store) }
        }
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let own = try desk.view().device.id
        try #require(desk.view().compacted[own] != nil)
        #expect(try have() == [true, false, true, false])
        // Also after another compaction, which has nothing left of what was said first.
        for number in 11...20 {
            try desk.set("file", "", long(number))
            for machine in [desk, laptop] { try machine.sync(group.store) }
        }
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        #expect(try have() == [true, false, true, false])
        for machine in [phone, desk] { try machine.sync(group.store) }
        #expect(try have() == [true, true, true, true])
    }

    /// It has the beginning of what was given out, and what followed is gone.
    @Test func aMachineThatHadHalfOfItShowsWhatIsThereNow() throws {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try fill(group, 1...3)
        for number in 4...10 {
            try desk.set("file", "", long(number))
            for machine in [desk, laptop] { try machine.sync(group.store) }
        }
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        #expect(try phone.sync(group.store).conflicts == 0)
        #expect(try phone.get("file") == long(10))
        #expect(try phone.conflicts().isEmpty)
        try group.settle()
    }

    /// The store hides what the laptop wrote in place of the desk's value. Until that comes, the desk's stays.
    @Test func whatTookItsPlaceMustBeThere() throws {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        let (desk, laptop, phone) = (group.machines[0], group.machines[1], group.machines[2])
        try fill(group, 1...5)
        try group.settle()
        let former = group.store.files
        #expect(try desk.view().compacted.isEmpty)
        fixtureIsAhead(laptop)
        try laptop.set("file", "", "from the laptop")
        for machine in [laptop, desk] { try machine.sync(group.store) }
        try desk.set("other", "", String(repeating: "x", count: 16_000))
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let compacted = try desk.view().compacted.count
        try #require(compacted == 1)
        let device = try laptop.view().device.id
        let hiding = CircleStore()
        hiding.files = group.store.files.filter { path, _ in
            switch path {
            case .segment(_, device, _, _), .head(_, device): former[path] != nil
            default: true
            }
        }
        for (path, content) in former where path == .head(circle: try laptop.view().device.circle, device: device) {
            hiding.files[path] = content
        }
        try phone.sync(hiding)
        #expect(try phone.view().compacted.count == 1)
        #expect(try phone.get("file") == long(5))
        try phone.sync(group.store)
        #expect(try phone.get("file") == "from the laptop")
    }

    private func fixtureIsAhead(_ machine: CircleMachine) { machine.fixture.advance(milliseconds: 100_000_000) }

    /// Attacker 10 brings back what was deleted: heads and files from before.
    @Test func anOldStoreBringsNothingBack() throws {
        let group = try CircleGroup("desk", "laptop", "phone", room: Self.room)
        try fill(group, 1...6)
        let old = group.store.files
        try fill(group, 7...10)
        try group.settle()
        let present = group.store.files
        for (path, content) in old { group.store.files[path] = content }
        for _ in 0..<2 { for machine in group.machines { try machine.sync(group.store) } }
        #expect(try group.get("file") == [long(10)])
        #expect(try Set(group.machines.map { try $0.digest() }).count == 1)
        // The desk takes its own old files away again.
        #expect(Set(group.store.files.keys).isSubset(of: Set(present.keys)))
        let spare = try CircleMachine("spare")
        for (path, content) in old { group.store.files[path] = content }
        try spare.join(group.machines[0])
        try group.machines[0].put(group.store)
        for (path, content) in old where !present.keys.contains(path) { group.store.files[path] = content }
        try spare.sync(group.store)
        #expect(try spare.get("file") == long(10))
    }

    @Test func aMachineThatWasPutBackGoesOn() throws {
        let group = try CircleGroup("desk", "laptop", room: Self.room)
        try fill(group, 1...4)
        let copy = try group.machines[0].copy()
        try fill(group, 5...10)
        try group.settle()
        let desk = try group.machines[0].restored(copy)
        for _ in 0..<3 {
            for machine in [desk, group.machines[1]] {
                do { try machine.sync(group.store) } catch let error as VaultError where error.code == .changed {
                    try machine.sync(group.store)
                }
            }
        }
        #expect(try desk.get("file") == long(10))
        #expect(try desk.digest() == group.machines[1].digest())
    }

    /// A machine that was started anew gives out its files in another run. What it no longer needs of the run before goes,
    /// the last file as well.
    @Test func filesOfARunBeforeGo() throws {
        let group = try CircleGroup("desk", "laptop", room: Self.room)
        let desk = group.machines[0]
        try fill(group, 1...5)
        let (own, before) = (try desk.view().device.id, try #require(desk.view().device.end).run)
        func runs() -> Set<RunID> {
            Set(
                group.store.names.compactMap { path in
                    if case .segment(_, own, _, let run) = path { run } else { nil }
                })
        }
        #expect(runs() == [before])
        try desk.reopen()
        try fill(group, 6...10)
        try group.settle()
        let present = try #require(desk.view().device.end).run
        #expect(present != before && runs() == [present])
        #expect(try group.get("file") == [long(10)])
    }

    /// The list of what a lost machine could read knows values that are gone (attacker 11).
    @Test func aValueThatWasUsedBeforeIsStillKnownAsRead() throws {
        let group = try CircleGroup("desk", "laptop", "lost", room: Self.room)
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        try fill(group)
        try group.settle()
        let device = try lost.view().device.id
        try desk.remove(lost)
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        func exposed() throws -> [Int] {
            try [desk, laptop].map { try $0.vault.exposure(to: device, $0.classKeys).items.count }
        }
        #expect(try exposed() == [1, 1])
        try desk.set("file", "", "new")
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        #expect(try exposed() == [0, 0])
        // One of those that were left out.
        try laptop.set("file", "", long(3))
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        #expect(try exposed() == [1, 1])
    }

    /// It has the keys of its time, and still reads the store (attacker 11).
    @Test func whoWasRemovedDoesNotLearnWhatIsStillOfUse() throws {
        let group = try CircleGroup("desk", "laptop", "lost", room: Self.room)
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        try desk.set("old", "", "from before")
        try fill(group, 1...3)
        try desk.remove(lost)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        for number in 4...10 {
            try desk.set("file", "", long(number))
            for machine in [desk, laptop] { try machine.sync(group.store) }
        }
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let device = try desk.view().device.id
        let compacted = try #require(laptop.view().compacted[device])
        let (keys, group9) = (try lost.view().halves, compacted.group)
        for counted in try laptop.view().streams[device]?.counted ?? [] where group9.contains(counted.after) {
            guard let generation = counted.record.header.generation, let half = keys[generation] else { continue }
            // What it can open has generations only.
            let record = try laptop.record(counted.record)
            guard case .generation? = try RecordSealing.open(record, half: half.metadata) else {
                Issue.record("a removed machine reads what was given out since")
                continue
            }
        }
        #expect(try laptop.get("old") == "from before")
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        for _ in 0..<2 { for machine in [desk, laptop, spare] { try machine.sync(group.store) } }
        #expect(try spare.get("old") == "from before")
    }

    /// It has taken the compaction in. Who removes the machine has not (attacker 11).
    @Test func whatIsLeftOfARemovedMachineStays() throws {
        let group = try CircleGroup("desk", "laptop", "lost", room: Self.room)
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        try lost.set("mine", "", "from the lost one")
        try group.settle()
        let device = try lost.view().device.id
        for number in 1...8 {
            try lost.set("file", "", long(number))
            try lost.sync(group.store)
        }
        for machine in [desk, laptop] { try machine.sync(group.store) }
        let old = group.store.files
        for machine in [lost, lost, laptop] { try machine.sync(group.store) }
        try #require(laptop.view().compacted[device] != nil)
        let hiding = CircleStore()
        hiding.files = old
        try desk.takeIn(hiding)
        try desk.remove(lost)
        try desk.put(group.store)
        for machine in [laptop, desk, laptop, desk] {
            try machine.sync(group.store)
            #expect(try machine.get("file") == long(8))
            #expect(try machine.get("mine") == "from the lost one")
        }
        #expect(try desk.digest() == laptop.digest())
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        for _ in 0..<2 { for machine in [desk, laptop, spare] { try machine.sync(group.store) } }
        #expect(try spare.get("mine") == "from the lost one")
        #expect(try spare.digest() == desk.digest())
    }

    /// Who names the end of a removed machine's stream says it again. Then the former records go, and the end counts.
    @Test func whatIsSaidOfARemovedMachineIsSaidAgain() throws {
        let group = try CircleGroup("desk", "laptop", "lost", room: Self.room)
        let (desk, laptop, lost) = (group.machines[0], group.machines[1], group.machines[2])
        try lost.set("mine", "", "from the lost one")
        try group.settle()
        try desk.remove(lost)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
        let device = try desk.view().device.id
        for numbers in [1...10, 11...20] {
            for number in numbers {
                try desk.set("file", "", long(number))
                for machine in [desk, laptop] { try machine.sync(group.store) }
            }
            for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(group.store) } }
            for machine in [desk, laptop] {
                let view = try machine.view()
                let compacted = try #require(view.compacted[device])
                #expect(compacted.isFaithful && view.isOutdated(device))
                #expect(compacted.former.isEmpty, "what it no longer gives out is gone")
                #expect(try machine.get("mine") == "from the lost one")
            }
        }
        #expect(try desk.digest() == laptop.digest())
    }

    @Test func filesGoWhenTheStoreHasWhatStandsForThem() throws {
        let group = try group()
        let desk = group.machines[0]
        let (names, heads) = (group.store.names, group.store.heads)
        if let prepared = try desk.vault.giveOut(heads: heads, desk.classKeys) { try desk.commit(prepared) }
        try #require(desk.view().compacted.count == 1)
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let ended = { try desk.vault.endedFiles(among: $0, heads: $1, desk.classKeys) }
        #expect(try ended(names, heads).isEmpty, "nothing of it is there yet")
        let (files, _) = try desk.vault.files(lacking: Set(names), heads: heads, room: .max)
        let segments = files.map(\.path).filter { if case .segment = $0 { true } else { false } }
        #expect(try ended(names + segments, heads).isEmpty, "the head is not there yet")
        try desk.put(group.store)
        #expect(try ended(names, group.store.heads).isEmpty, "a file is not there yet")
        #expect(try !ended(group.store.names, group.store.heads).isEmpty)
    }

    /// The store shows a head of a run whose records are gone (attacker 10).
    @Test func anOldHeadOfItsOwnIsNoSignOfARollback() throws {
        let group = try CircleGroup("desk", "laptop", room: Self.room)
        let desk = group.machines[0]
        try fill(group, 1...3)
        let circle = try desk.view().device.circle
        let path = StorePath.head(circle: circle, device: try desk.view().device.id)
        let old = try #require(group.store.files[path])
        try desk.reopen()
        try fill(group, 4...12)
        try group.settle()
        try desk.reopen()
        group.store.files[path] = old
        try desk.set("file", "", "new")
        try desk.takeIn(group.store)
        let prepared = try desk.vault.giveOut(heads: group.store.heads, desk.classKeys)
        #expect(prepared != nil)
    }

    @Test func manyFilesBecomeFew() throws {
        let group = try CircleGroup("desk", "laptop", room: Self.room)
        let desk = group.machines[0]
        let own = try desk.view().device.id
        for number in 1...22 {
            try desk.set("item \(number)", "", "value")
            if let prepared = try desk.vault.giveOut(heads: group.store.heads, desk.classKeys) {
                try desk.commit(prepared)
            }
            try desk.sync(group.store)
        }
        try group.settle()
        let names = group.store.names.filter { if case .segment(_, own, _, _) = $0 { true } else { false } }
        #expect(names.count < 10)
        #expect(try group.machines[1].names.count == 22)
    }

    /// All of it is still of use. Only the number of files gets less.
    @Test func manyFilesWithAllThatIsOfUseBecomeFew() throws {
        let group = try CircleGroup("desk", "laptop", room: Room(given: 8 << 20, givenFiles: 8))
        let desk = group.machines[0]
        let own = try desk.view().device.id
        func value(_ number: Int) -> String { "\(number):" + String(repeating: "x", count: 200_000) }
        for number in 1...8 {
            try desk.set("item \(number)", "", value(number))
            try desk.sync(group.store)
        }
        try group.settle()
        let names = group.store.names.filter { if case .segment(_, own, _, _) = $0 { true } else { false } }
        #expect(names.count < 8, "\(names.count) files")
        for number in 1...8 { #expect(try group.get("item \(number)") == [value(number)]) }
    }
}
