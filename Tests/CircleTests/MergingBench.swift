import Circle
import Item
import Testing

/// A circle of test devices: each makes changes from its own state.
struct Bench {
    var states: [SharedState]
    var changes: [PartChange] = []
    private var lastValue: UInt8 = 0

    init(devices: Int, having shared: [PartChange] = []) {
        states = Array(repeating: SharedState(shared), count: devices)
        changes = shared
    }

    static let item = SharedItemID(number: 1)
    static let bank = ItemName(service: "bank", account: "me")

    static func name(_ service: String, kind: ItemKind = .genericPassword) -> ItemName {
        ItemName(service: service, account: "me", itemClass: kind)
    }

    static func value(_ number: UInt8, _ access: AccessControl = .whenUnlocked) throws -> SealedField {
        try #require(
            SealedField(
                revision: Array(repeating: number, count: 16), digest: Array(repeating: number, count: 32),
                access: access))
    }

    /// The changes that make one item, by device 0 at clock 1.
    static func made(
        _ id: SharedItemID = item, _ name: ItemName = bank, _ access: AccessControl = .whenUnlocked, value: UInt8 = 1,
        by device: UInt64 = 0
    ) throws -> [PartChange] {
        try PartWriter(SharedState(), writer: WriterID(number: device), now: 1).create(
            id, name, access, [(.secret, Bench.value(value))])
    }

    /// One device makes changes from what it has.
    mutating func act(
        _ device: Int, at clock: UInt64 = 10, _ body: (PartWriter, SharedState) throws -> [PartChange]
    ) throws {
        let writer = PartWriter(states[device], writer: WriterID(number: UInt64(device)), now: clock)
        let made = try body(writer, states[device])
        for change in made { states[device].take(change) }
        changes += made
    }

    /// One device takes in all that there is.
    mutating func catchUp(_ device: Int) {
        for change in changes { states[device].take(change) }
    }

    /// Every order of arrival gives one state. Of more than five changes, 120 orders are tried.
    func merged(_ location: SourceLocation = #_sourceLocation) throws -> SharedState {
        let whole = SharedState(changes)
        let digest = try whole.digest
        let shown = whole.items.map(Shown.init)
        for order in Orders(changes) {
            // Each change twice, because a store may show it again.
            var state = SharedState(order)
            for change in order where state.take(change) != .known {
                Issue.record("a change was taken in twice", sourceLocation: location)
            }
            #expect(try state.digest == digest, sourceLocation: location)
            #expect(state.items.map(Shown.init) == shown, sourceLocation: location)
            #expect(state.waits.count == 0, sourceLocation: location)
        }
        return whole
    }
}

/// What people see of an item.
struct Shown: Hashable {
    let name: ItemName
    let floor: [AccessControl]
    let isInBin: Bool
    let parts: [[RevisionName]]

    init(_ item: SharedItem) {
        name = item.name
        floor = item.floor
        isInBin = item.isInBin
        parts = item.parts.map { part in item.revisions(of: part).map(\.name) }
    }
}

/// All orders of a list, by Heap's algorithm; of a long list, 120 of them.
struct Orders: Sequence {
    let changes: [PartChange]

    init(_ changes: [PartChange]) { self.changes = changes }

    func makeIterator() -> AnyIterator<[PartChange]> {
        var (order, counters, place, isFirst) = (changes, Array(repeating: 0, count: changes.count), 1, true)
        guard changes.count <= 5 else { return shuffled() }
        return AnyIterator {
            if isFirst {
                isFirst = false
                return order
            }
            while place < counters.count {
                if counters[place] < place {
                    order.swapAt(place.isMultiple(of: 2) ? 0 : counters[place], place)
                    counters[place] += 1
                    place = 1
                    return order
                }
                counters[place] = 0
                place += 1
            }
            return nil
        }
    }

    private func shuffled() -> AnyIterator<[PartChange]> {
        var (seed, left, order) = (UInt64(1), 120, changes)
        return AnyIterator {
            guard left > 0 else { return nil }
            left -= 1
            for place in order.indices.dropFirst() {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                order.swapAt(place, Int(seed >> 33) % (place + 1))
            }
            return order
        }
    }
}
