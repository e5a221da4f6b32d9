import Circle
import Item
import Testing

/// The cases in which machines change one item at the same time (docs/sync-merging.md, "Cases"): each in every order.
struct MergingConvergenceTests {
    private func only(_ state: SharedState) throws -> SharedItem {
        try #require(state.items.count == 1 ? state.items.first : nil)
    }

    private func set(_ number: UInt8, _ field: FieldName = .secret) -> (PartWriter, SharedState) throws -> [PartChange]
    {
        { writer, state in
            try [writer.set(.field(field), of: #require(state.items.first), to: .value(Bench.value(number)))]
        }
    }

    private func shownValue(_ item: SharedItem, _ field: FieldName = .secret) throws -> UInt8? {
        guard case .value(let value)? = item.shown(.field(field))?.content else { return nil }
        return value.revision.first
    }

    @Test func aChainArrivesInAnyOrder() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        // The second writer's clock is behind, the third one's is far ahead.
        for (device, clock) in [(0, 50), (1, 3), (2, 900_000_000), (0, 60)] as [(Int, UInt64)] {
            bench.catchUp(device)
            try bench.act(device, at: clock, set(UInt8(device + 10)))
        }
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 10)
        #expect(item.conflict(in: .field(.secret)).isEmpty)
    }

    @Test func whatReplacesBothEndsTheConflict() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, set(2))
        try bench.act(1, set(3))
        #expect(try only(try bench.merged()).conflict(in: .field(.secret)).count == 1)
        bench.catchUp(2)
        try bench.act(2, at: 1, set(4))
        // Device 0 has not heard of that, and replaces its own value.
        try bench.act(0, at: 100, set(5))
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 5)
        #expect(item.conflict(in: .field(.secret)).count == 1)
    }

    /// M9-23: 10,001 items after a merge. The merge takes all of them, in any order. Nobody makes one more until there are
    /// fewer.
    @Test func moreItemsThanACircleMayHaveAreMergedAndNotMade() throws {
        let writers = (0..<2).map { PartWriter(SharedState(), writer: WriterID(number: $0), now: 5) }
        let half = UInt64(ItemLimits.items / 2)
        let fields = [(FieldName.secret, try Bench.value(1))]
        var made: [[PartChange]] = [[], []]
        for number in 0...2 * half {
            let side = number < half ? 0 : 1
            made[side] += try writers[side].create(
                SharedItemID(number: number + 1), Bench.name("s\(number)"), .whenUnlocked, fields)
        }
        let (one, other) = (SharedState(made[0] + made[1]), SharedState(made[1].reversed() + made[0]))
        #expect(one.items.count == ItemLimits.items + 1 && other.waits.count == 0)
        #expect(try one.digest == other.digest)
        var state = one
        func create(_ number: UInt64) throws -> [PartChange] {
            try PartWriter(state, writer: WriterID(number: 3), now: 10).create(
                SharedItemID(number: 100_000 + number), Bench.name("new\(number)"), .whenUnlocked, fields)
        }
        #expect { try create(0) } throws: { if case MergingError.manyItems = $0 { true } else { false } }
        // What is there can be changed, and deleted.
        let writer = PartWriter(state, writer: WriterID(number: 3), now: 9)
        let (first, last) = (try #require(state.items.first), try #require(state.items.last))
        _ = state.take(try writer.set(.label, of: first, to: .text(Array("kept".utf8))))
        for change in try writer.bin(last, days: 30) { _ = state.take(change) }
        #expect(state.items.first?.shown(.label) != nil && state.items.count == ItemLimits.items + 1)
        #expect { try create(0) } throws: { if case MergingError.manyItems = $0 { true } else { false } }
        for item in [first, last] { for change in try writer.delete(item) { _ = state.take(change) } }
        #expect(try create(0).count == 3)
    }

    @Test func ofThreeAtOnceTheLargestStampIsShown() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, at: 20, set(2))
        try bench.act(1, at: 30, set(3))
        try bench.act(2, at: 30, set(4))
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 4, "equal clocks: the larger device")
        #expect(item.conflict(in: .field(.secret)).count == 2)
    }

    @Test func twoResolutionsAndANewValueMeet() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, set(2))
        try bench.act(1, set(3))
        for device in 0..<3 { bench.catchUp(device) }
        for device in 0..<3 { try bench.act(device, at: 40, set(UInt8(20 + device))) }
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 22)
        #expect(item.revisions(of: .field(.secret)).count == 3)
    }

    @Test func aValueBringsAnItemOutOfTheBin() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        #expect(try only(try bench.merged()).isInBin)
        try bench.act(1, set(3))
        #expect(try !only(try bench.merged()).isInBin)
    }

    @Test func nothingElseBringsItOut() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        try bench.act(1) { writer, state in
            let item = try #require(state.items.first)
            return try [
                writer.set(.label, of: item, to: .text([1])), writer.rename(item, to: Bench.name("shop")),
                writer.set(.expiry, of: item, to: .expiry(5)),
            ]
        }
        try bench.act(2) { writer, state in
            try writer.guardItem(#require(state.items.first), by: .whenUnlocked.requiring(.userPresence))
        }
        #expect(try only(try bench.merged()).isInBin)
    }

    @Test func theBinSpeaksForNoValueThatWasRemovedBefore() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, set(9, .notes))
        for device in 1...2 { bench.catchUp(device) }
        try bench.act(0) { writer, state in try [writer.remove(.field(.notes), of: #require(state.items.first))] }
        let removal = try #require(bench.changes.last)
        bench.catchUp(1)
        try bench.act(1) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        // The store withholds the removal. What it removes is present, and nobody has put it into the bin.
        var late = bench.states[2]
        for change in bench.changes where change != removal { late.take(change) }
        #expect(try !only(late).isInBin)
        #expect(late.waits.count == 0, "a move to the bin waits for no removal")
        late.take(removal)
        #expect(try only(late).isInBin)
        #expect(try only(try bench.merged()).isInBin)
    }

    @Test func restoringBringsItBackOnce() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        bench.catchUp(1)
        try bench.act(1) { writer, state in try writer.restore(#require(state.items.first)) }
        #expect(try !only(try bench.merged()).isInBin)
        // A second move to the bin, by somebody who has not heard of the restoring.
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 7) }
        #expect(try only(try bench.merged()).isInBin)
    }

    @Test func deletingRemovesExactlyWhatItNames() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, set(9, .notes))
        bench.catchUp(1)
        try bench.act(1) { writer, state in try writer.delete(#require(state.items.first)) }
        #expect(try bench.merged().items.isEmpty)
        try bench.act(2, set(7))
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 7)
        #expect(item.shown(.field(.notes)) == nil)
        #expect(item.name == Bench.bank)
        #expect(item.floor == [.whenUnlocked], "its access control was kept for it")
    }

    @Test func twoDeletionsAreOne() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for device in 0..<2 {
            try bench.act(device) { writer, state in try writer.delete(#require(state.items.first)) }
        }
        #expect(try bench.merged().items.isEmpty)
    }

    @Test func aDeletedValueNeverComesBack() throws {
        let made = try Bench.made()
        var bench = Bench(devices: 1, having: made)
        try bench.act(0) { writer, state in try writer.delete(#require(state.items.first)) }
        var state = try bench.merged()
        for change in made { #expect(state.take(change) == .known) }
        #expect(state.items.isEmpty)
    }

    @Test func aValueAndARenameAreBothKept() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        try bench.act(0, set(2))
        try bench.act(1) { writer, state in try [writer.rename(#require(state.items.first), to: Bench.name("shop"))] }
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 2)
        #expect(item.name == Bench.name("shop"))
        #expect(item.conflict(in: .field(.secret)).isEmpty)
    }

    @Test func twoRenamesAreAConflictOfTheName() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for (device, name) in ["shop", "store"].enumerated() {
            try bench.act(device) { writer, state in
                try [writer.rename(#require(state.items.first), to: Bench.name(name))]
            }
        }
        let item = try only(try bench.merged())
        #expect(item.name == Bench.name("store"))
        #expect(item.conflict(in: .name).count == 1)
    }

    @Test func attributesAreApart() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        for (device, (key, text)) in [("k", 1), ("k", 2), ("l", 3)].enumerated() {
            try bench.act(device) { writer, state in
                let part = SharedPart.attribute(Array(key.utf8))
                return try [writer.set(part, of: #require(state.items.first), to: .text([UInt8(text)]))]
            }
        }
        let item = try only(try bench.merged())
        #expect(item.shown(.attribute(Array("k".utf8)))?.content == .text([2]))
        #expect(item.conflict(in: .attribute(Array("k".utf8))).count == 1)
        #expect(item.conflict(in: .attribute(Array("l".utf8))).isEmpty)
    }

    @Test func equalTextsAreNoConflict() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        for (device, text) in [7, 7, 8].enumerated() {
            try bench.act(device) { writer, state in
                try [writer.set(.comment, of: #require(state.items.first), to: .text([UInt8(text)]))]
            }
        }
        #expect(try only(try bench.merged()).conflict(in: .comment).map(\.content) == [.text([7])])
    }

    @Test func aFieldAddedAndOneRemovedAreApart() throws {
        var bench = Bench(devices: 3, having: try Bench.made())
        try bench.act(0, set(5, .otp))
        for device in 1...2 { bench.catchUp(device) }
        try bench.act(1) { writer, state in try [writer.remove(.field(.otp), of: #require(state.items.first))] }
        try bench.act(0, set(6, .notes))
        #expect(try only(try bench.merged()).parts.filter(\.isField) == [.field(.notes), .field(.secret)])
        try bench.act(2, set(8, .otp))
        #expect(try shownValue(only(try bench.merged()), .otp) == 8)
    }

    @Test func eightLosersAreKeptAndTheRestIsCounted() throws {
        var bench = Bench(devices: 12, having: try Bench.made())
        for device in 0..<12 { try bench.act(device, at: UInt64(100 - device), set(UInt8(50 + device))) }
        let item = try only(try bench.merged())
        #expect(try shownValue(item) == 50)
        #expect(item.conflict(in: .field(.secret)).count == 8)
        #expect(item.countBeyondLosers(of: .field(.secret)) == 3)
        bench.catchUp(0)
        try bench.act(0, set(99))
        let resolved = try only(SharedState(bench.changes))
        #expect(resolved.revisions(of: .field(.secret)).count == 1)
    }

    @Test func limitsRefuseWritingAndNeverMerging() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for number in 0..<14 { try bench.act(0, set(1, try #require(FieldName("shared\(number)")))) }
        bench.catchUp(1)
        for device in 0..<2 { try bench.act(device, set(2, try #require(FieldName("own\(device)")))) }
        for device in 0..<2 { bench.catchUp(device) }
        #expect(try only(try bench.merged()).parts.count(where: \.isField) == 17)
        #expect(throws: MergingError.self) { try bench.act(0, set(3, "another")) }
        // A field that is there is written still.
        try bench.act(0, set(4, "own0"))
        try bench.act(0) { writer, state in
            let item = try #require(state.items.first)
            return try [writer.remove(.field("own1"), of: item), writer.remove(.field("own0"), of: item)]
        }
        try bench.act(0, set(3, "another"))
        #expect(try only(bench.states[0]).parts.count(where: \.isField) == 16)
    }
}
