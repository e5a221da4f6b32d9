import Authorization
import Circle
import Testing

@testable import Vault

/// Machines that have the same changes have the same state digest. If not, the person is told (attackers 10 and 13, and
/// faults of our own).
struct CircleAgreementTests {
    private let desk: CircleMachine
    private let laptop: CircleMachine
    private let store = CircleStore()

    init() throws {
        (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop"))
        try desk.found()
        try desk.set("github", "me", "1")
        try desk.sync(store)
        try laptop.join(desk)
        try desk.put(store)
        try settle()
    }

    private func settle() throws { for machine in [desk, laptop, desk, laptop, desk] { try machine.sync(store) } }

    /// What a machine says of another one.
    private func agrees(_ other: CircleMachine, for machine: CircleMachine) throws -> Bool? {
        let (device, state) = (try other.view().device.id, try machine.vault.circleState(machine.classKeys))
        return try #require(state?.machines.first { $0.device == device }).agrees
    }

    private func agreements() throws -> [Bool?] {
        [try agrees(laptop, for: desk), try agrees(desk, for: laptop)]
    }

    @Test func machinesThatHaveTheSameAgree() throws {
        #expect(try agreements() == [true, true])
        #expect(try agrees(desk, for: desk) == nil)
        // Both have changed something. What one has not given out yet is no difference.
        try laptop.set("gitlab", "me", "2")
        try laptop.takeIn(CircleStore())
        #expect(try agreements() == [true, true])
        try laptop.sync(store)
        #expect(try agrees(laptop, for: desk) == true)
        #expect(try agrees(desk, for: laptop) == nil)
        try desk.takeIn(store)
        #expect(try agreements() == [true, nil])
        try settle()
        #expect(try agreements() == [true, true])
    }

    @Test func whoHasMoreIsNotCompared() throws {
        try laptop.set("gitlab", "me", "2")
        try laptop.sync(store)
        // The desk has the head alone.
        let segments = store.names
        let known = try desk.vault.wanted(segments, heads: store.heads, desk.classKeys)
        #expect(known.count == 1)
        _ = try desk.vault.takeIn(heads: store.heads, segments: [], desk.classKeys)
        #expect(try agrees(laptop, for: desk) == nil)
        try desk.takeIn(store)
        #expect(try agrees(laptop, for: desk) == true)
    }

    /// What waits is no part of what a head says, also if the head is signed while it waits.
    @Test func aHeadSaysNothingOfWhatWaits() throws {
        try laptop.set("gitlab", "me", "2")
        try laptop.takeIn(store)
        #expect(try laptop.view().pending.isEmpty == false)
        try laptop.give([.profile(laptop.profile)])
        #expect(try laptop.view().pending.isEmpty == false)
        try laptop.put(store)
        try desk.sync(store)
        try laptop.takeIn(store)
        #expect(try agreements() == [true, true])
    }

    @Test(arguments: [false, true]) func aMachineThatMakesSomethingElseOfItIsNamed(isGone: Bool) throws {
        if isGone {
            let other = try CircleMachine("other")
            try other.join(desk)
            try desk.put(store)
            for _ in 0..<2 {
                try other.sync(store)
                try settle()
            }
            try desk.remove(other)
            try settle()
            #expect(try agreements() == [true, true])
        }
        let prepared = try laptop.vault.read { (snapshot) throws(VaultError) in
            let view = try laptop.vault.view(snapshot, laptop.classKeys).1
            var writer = try RecordWriter(view.device, after: view.ownEnd, in: laptop.vault.run(), before: view.device)
            try writer.add(.profile(laptop.profile), view.present.map { ($0.name, view.halves[$0.name]!.metadata) })
            return try writer.finish(
                seen: view.seen, stateDigest: [UInt8](repeating: 7, count: 32), time: 1_900_000_000_000, given: [],
                streamPassword: laptop.vault.circleSecrets(view.device.keys.random, laptop.classKeys).streamPassword)
        }
        try laptop.commit(prepared)
        try laptop.put(store)
        try desk.takeIn(store)
        #expect(try agrees(laptop, for: desk) == false)
    }
}
