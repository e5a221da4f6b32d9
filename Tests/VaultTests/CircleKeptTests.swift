import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What a vault has made of its circle stays in memory for the next call. The rows of the file decide whether it is still
/// true (attacker 5), and it holds no key (attacker 6).
struct CircleKeptTests {
    private let desk: CircleMachine
    private let store = CircleStore()

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("github", "me", "1")
        try desk.sync(store)
    }

    @Test func aViewIsOfTheRowsThatTheFileHas() throws {
        #expect(try desk.view().state.items.count == 1)
        #expect(desk.vault.kept.circle != nil)
        try desk.set("gitlab", "me", "2")
        try desk.sync(store)
        #expect(try desk.view().state.items.count == 2)
        #expect(try desk.view().pending.isEmpty)
        // A foreign row behind all others, beside which all rows are as they were.
        let last = CircleRow.succession.id
        try desk.vault.database.write { (rows) throws(VaultError) in try rows.put(circle: last, [0]) }
        #expect(vaultError { _ = try desk.vault.circleState(desk.classKeys) } == .damaged)
        #expect(vaultError { _ = try desk.vault.verify() } == .damaged)
        try desk.vault.database.write { (rows) throws(VaultError) in try rows.put(circle: last, []) }
        #expect(try desk.view().state.items.count == 2)
        try desk.vault.database.write { (rows) throws(VaultError) in try rows.put(circle: CircleRow.shared.id, [0]) }
        #expect(vaultError { _ = try desk.vault.circleState(desk.classKeys) } == .damaged)
        #expect(vaultError { try desk.takeIn(store) } == .damaged)
        #expect(vaultError { _ = try desk.vault.giveOut(heads: store.heads, desk.classKeys) } == .damaged)
    }

    /// A member can say much that is kept: long texts, and ways to values. It counts by its length, so that one user's circle
    /// does not take everybody's memory.
    @Test func whatMembersSayIsCounted() throws {
        func cost() throws -> Int {
            _ = try desk.view()
            return try #require(desk.vault.kept.circle).cost
        }
        let before = try cost()
        let change = try #require(RevisionName(digest: [UInt8](repeating: 1, count: 32)))
        let slot = ValueSlot.device(
            try desk.view().device.id, name: [UInt8](repeating: 1, count: 32),
            content: [UInt8](repeating: 2, count: 1_000))
        try desk.give([.released([ReleasedSlots(of: change, [ValueSlot](repeating: slot, count: 50))])])
        let released = try cost()
        #expect(released >= before + 50_000)
        let item = try #require(try desk.view().state.items.first)
        let stamp = try #require(PartStamp(clock: 2_000_000_000_000, writer: desk.view().device.id))
        let text = try PartChange(
            item: item.id, part: .comment, stamp: stamp, replacing: [],
            content: .text([UInt8](repeating: 97, count: 4_000)))
        try desk.give([.changes([CarriedChange(text)])])
        #expect(try cost() >= released + 4_000)
        // A list of what has gone is in the file alone.
        let past = PastChanges.records(names: Set(0..<50_000), values: [:])
        let listed = try cost()
        try desk.give(past.map { .past($0) })
        #expect(try cost() < listed + 50_000)
    }

    /// A store adds a head of its own making. Nothing is made anew for that.
    @Test func aHeadThatNobodyHasSignedIsNoNews() throws {
        let own = try SignedHead(decoding: #require(store.heads.first))
        let junk = SignedHead(own.head, signature: own.signature.reversed())
        for heads in [store.heads, store.heads + [junk.bytes]] {
            _ = try desk.view()
            _ = try desk.vault.takeIn(heads: heads, segments: [], desk.classKeys)
            #expect(desk.vault.kept.circle != nil)
        }
    }

    @Test func whatIsKeptHasNoKey() throws {
        let view = try desk.view()
        #expect(view.halves.values.contains { $0.classes.count == 2 })
        #expect(view.withoutKeys.halves.isEmpty)
        #expect(view.withoutKeys.receivers.isEmpty)
        // The same rows after a lock: no half that opens values, and the same state.
        let locked = desk.classKeys.locked()
        let vault = desk.vault
        let other = try vault.read { (snapshot) throws(VaultError) in try vault.view(snapshot, locked).1 }
        #expect(other.halves.count == view.halves.count)
        #expect(other.halves.values.allSatisfy { $0.classes[.whenUnlocked] == nil })
        #expect(try other.stateDigest() == view.stateDigest())
        #expect(try desk.view().halves.values.contains { $0.classes.count == 2 })
    }

    /// What it takes is counted once, and given back.
    @Test func itTakesItsRoomOnce() throws {
        _ = try desk.view()
        let circle = try #require(desk.vault.kept.circle)
        for (limit, isKept) in [(circle.cost, true), (circle.cost - 1, false)] {
            let limits = KeptLimits(circle: limit)
            let memory = KeptMemory(limits)
            let kept = KeptRows(memory, limits)
            for _ in 0..<2 {
                kept.put(circle)
                #expect((kept.circle != nil) == isKept)
                #expect(memory.taken == (isKept ? circle.cost : 0))
            }
            kept.dropCircle()
            #expect(kept.circle == nil && memory.taken == 0)
        }
    }

    /// It could not open what comes, so everything stays as it was. Nothing new is no exception: the caller waits then.
    @Test func aLockedVaultTakesNothingIn() throws {
        let laptop = try CircleMachine("laptop")
        try laptop.join(desk)
        try desk.put(store)
        try laptop.sync(store)
        try laptop.set("new", "me", "of the laptop")
        try laptop.sync(store)
        let (locked, before) = (desk.classKeys.locked(), try desk.digest())
        let files = try store.files.keys.map { try #require(store.files[$0]) }
        for (heads, segments) in [([], []), (store.heads, files)] {
            #expect(vaultError { _ = try desk.vault.takeIn(heads: heads, segments: segments, locked) } == .locked)
            #expect(try desk.digest() == before)
        }
        try desk.sync(store)
        #expect(try desk.get("new", "me") == "of the laptop")
    }
}
