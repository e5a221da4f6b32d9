import Circle
import Item
import Testing

@testable import Vault

/// What a vault has made of its circle counts by what it takes in memory, so that one user's circle does not take what
/// is for all (attacker 13; docs/sync-growth.md).
struct CircleKeptCostTests {
    private let desk: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("github", "me", "1")
        try desk.sync(CircleStore())
    }

    private func cost() throws -> Int {
        _ = try desk.view()
        return try #require(desk.vault.kept.circle).cost
    }

    /// A machine that is away from its store for long can have much to give out.
    @Test func aValueThatWaitsCountsByItsLength() throws {
        let before = try cost()
        try desk.set("long", "", String(repeating: "x", count: 400_000))
        try desk.takeIn(CircleStore())
        #expect(try !desk.view().pending.isEmpty)
        #expect(try cost() >= before + 400_000)
    }

    /// A member can write thousands that say next to nothing.
    @Test func eachRecordCounts() throws {
        let before = try cost()
        try desk.give([RecordBody](repeating: .profile(desk.profile), count: 300))
        #expect(try cost() >= before + 300 * 600)
    }

    /// So can it make changes, and each name can join 256 ids.
    @Test func eachChangeAndEachIdOfANameCounts() throws {
        let writer = try desk.view().device.id
        func name(
            _ text: String, of number: UInt64, at clock: UInt64, replacing: [PartChange] = []
        ) throws -> PartChange {
            let stamp = try #require(PartStamp(clock: 1_900_000_000_000 + clock, writer: writer))
            return try PartChange(
                item: SharedItemID(number: number), part: .name, stamp: stamp, replacing: replacing.map(\.name),
                content: .name(ItemName(service: text, account: "", itemClass: .genericPassword)))
        }
        let births = try (1...555).map { try name("bank", of: $0, at: 0) }
        let base = try name("shop", of: 1, at: 1, replacing: Array(births.prefix(255)))
        let renames = try (0..<300).map { number in
            try name("shop", of: 1, at: 2, replacing: [base, births[0], births[255 + number]])
        }
        try desk.give([.changes(try (births + [base] + renames).map { try CarriedChange($0) })])
        let state = try desk.view().state
        #expect(state.changeCount > 850 && state.listedIDCount > 300 * 256)
        #expect(try cost() >= 500 * state.changeCount + state.changeBytes + 4 * state.listedIDCount)
    }
}
