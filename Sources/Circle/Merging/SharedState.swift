import Authorization
import Item

/// What all members of a circle make of the changes that they have. It is a function of the set of changes: their order,
/// the receiver's clock, its settings and its locks decide nothing (docs/sync-merging.md).
package struct SharedState: Sendable {
    /// How many changes of one writer may wait for others. Further ones are offered again later.
    package static let mostWaiting = 1_024

    /// What became of a change.
    package enum Taken: Hashable, Sendable {
        case merged
        /// It was merged before, or waits already.
        case known
        case waits(for: Missing)
        /// Too many changes of this writer wait. It is not taken, and does not count as had.
        case full
    }

    /// What a change needs and is not here yet.
    package enum Missing: Hashable, Sendable {
        /// A change that it replaces, or whose value it puts into the bin.
        case change(RevisionName)
        /// The first name of its item. Without it, nobody could see the item, nor what the change replaced.
        case name(of: SharedItemID)
    }

    private var merged: [RevisionName: MergedChange] = [:]
    /// The ids that have had a name.
    private var named: Set<SharedItemID> = []
    private var registers: [SharedItemID: [SharedPart: PartRegister]] = [:]
    /// Each id that a name has joined to a smaller one.
    private var joined: [SharedItemID: SharedItemID] = [:]
    private var waiting: [Missing: [PartChange]] = [:]
    private var waitingNames: Set<RevisionName> = []
    private var waitingCount: [WriterID: Int] = [:]

    package init() {}

    /// The fold of changes, in the order in which they are given.
    package init(_ changes: some Sequence<PartChange>) {
        for change in changes { _ = take(change) }
    }

    /// Takes in changes in any order. What a writer has too much of at once is offered again.
    ///
    /// - Returns: what it still has too much of.
    package mutating func take(all changes: [PartChange]) -> [PartChange] {
        var open = changes
        while true {
            var left: [PartChange] = []
            for change in open where take(change) == .full { left.append(change) }
            guard left.count < open.count, !left.isEmpty else { return left }
            open = left
        }
    }

    /// Takes in a change, and all that has waited for it.
    @discardableResult
    package mutating func take(_ change: PartChange) -> Taken {
        guard merged[change.name] == nil, !waitingNames.contains(change.name) else { return .known }
        if let missing = missing(of: change) {
            let count = waitingCount[change.stamp.writer, default: 0]
            guard count < Self.mostWaiting else { return .full }
            waitingCount[change.stamp.writer] = count + 1
            waitingNames.insert(change.name)
            waiting[missing, default: []].append(change)
            return .waits(for: missing)
        }
        var ready = [change]
        while let next = ready.popLast() {
            merge(next)
            var freed = waiting.removeValue(forKey: .change(next.name)) ?? []
            if named.contains(next.item) { freed += waiting.removeValue(forKey: .name(of: next.item)) ?? [] }
            for freed in freed {
                if let missing = missing(of: freed) {
                    waiting[missing, default: []].append(freed)
                } else {
                    waitingNames.remove(freed.name)
                    waitingCount[freed.stamp.writer, default: 1] -= 1
                    ready.append(freed)
                }
            }
        }
        return .merged
    }

    /// Whether a change was merged, also if it was replaced since.
    package func has(_ name: RevisionName) -> Bool { merged[name] != nil }

    /// How many changes were merged or wait.
    package var changeCount: Int { merged.count + waitingNames.count }

    /// The changes that wait, and a change that each waits for; sorted by their names.
    package var waits: [(change: PartChange, missing: Missing)] {
        waiting.flatMap { missing, changes in changes.map { ($0, missing) } }.sorted { $0.0.name < $1.0.name }
    }

    private func missing(of change: PartChange) -> Missing? {
        if let named = change.named.first(where: { merged[$0] == nil }) { return .change(named) }
        return change.part == .name || named.contains(change.item) ? nil : .name(of: change.item)
    }

    private mutating func merge(_ change: PartChange) {
        let replaced = change.replaced.compactMap { merged[$0] }
        let given = given(by: change, replacing: replaced)
        let isVoid = !Self.mayReplace(change, replaced) || change.part == .name && given == nil
        merged[change.name] = MergedChange(
            item: change.item, part: change.part, stamp: change.stamp, given: given, isVoid: isVoid)
        guard !isVoid else { return }
        for (name, former) in zip(change.replaced, replaced) {
            registers[former.item]?[former.part]?.remove(name)
        }
        if change.content != nil {
            registers[change.item, default: [:]][change.part, default: PartRegister()].insert(change)
        }
        guard let given else { return }
        named.insert(change.item)
        for id in given.ids { join(id, change.item) }
    }

    /// The rules of a change. They look at the change and at what it replaces alone, so they hold for everybody alike.
    private static func mayReplace(_ change: PartChange, _ replaced: [MergedChange]) -> Bool {
        replaced.allSatisfy { former in
            guard former.part == change.part, change.stamp.mayReplace(former.stamp) else { return false }
            // Each id keeps its own access controls and its own place in the bin.
            return former.item == change.item || change.part != .access && change.part != .bin
        }
    }

    /// - Returns: nil for another kind, and for a name that replaces the name of an item which is not the same one.
    private func given(by change: PartChange, replacing replaced: [MergedChange]) -> GivenName? {
        guard case .name(let name) = change.content else { return nil }
        guard !replaced.isEmpty else { return GivenName(name: name, isBirth: true, ids: [change.item]) }
        var apart = replaced.compactMap(\.given)
        guard apart.count == replaced.count, apart.allSatisfy({ $0.name.itemClass == name.itemClass }) else {
            return nil
        }
        var one = apart.filter { $0.ids.contains(change.item) }
        apart.removeAll { $0.ids.contains(change.item) }
        guard !one.isEmpty else { return nil }
        while let place = apart.firstIndex(where: { former in one.contains { $0.isOne(with: former) } }) {
            one.append(apart.remove(at: place))
        }
        guard apart.isEmpty else { return nil }
        return GivenName(name: name, isBirth: false, ids: Set(one.flatMap(\.ids)).sorted())
    }

    private func root(of item: SharedItemID) -> SharedItemID {
        var root = item
        while let next = joined[root] { root = next }
        return root
    }

    private mutating func join(_ one: SharedItemID, _ other: SharedItemID) {
        let roots = [root(of: one), root(of: other)].sorted()
        // Each id leads to the smallest one directly, so that looking it up stays short.
        for id in [roots[1], one, other] where id != roots[0] { joined[id] = roots[0] }
    }
}

extension SharedState {
    /// Equal at members that have the same changes: the SHA-256 of all present revisions and of what was joined.
    package var digest: RevisionName {
        get throws(MergingError) {
            let present = registers.values.flatMap { $0.values.flatMap { $0.present.map(\.name) } }.sorted()
            let ids = joined.keys.sorted()
            return try RevisionName(
                hashing: LengthPrefixed.encode(Array("org.coffer.circle.state".utf8))
                    + BigEndian.bytes(UInt32(clamping: present.count)) + present.flatMap(\.bytes)
                    + BigEndian.bytes(UInt32(clamping: ids.count))
                    + ids.flatMap { $0.bytes + root(of: $0).bytes })
        }
    }

    /// The item of one id by itself, without the other ids of the same item.
    ///
    /// - Returns: nil if it has no name or no value.
    package func item(_ id: SharedItemID) -> SharedItem? { SharedItem(ids: [id], registers) }

    /// All items that have a value, those in the bin, too; sorted by their ids.
    package var items: [SharedItem] {
        var classes: [SharedItemID: [SharedItemID]] = [:]
        for id in registers.keys.sorted() { classes[root(of: id), default: []].append(id) }
        var items: [SharedItem] = []
        var born: [ItemName: Int] = [:]
        for root in classes.keys.sorted() {
            guard let item = SharedItem(ids: classes[root] ?? [], registers) else { continue }
            guard !item.isInBin, item.isBornUnderItsName else {
                items.append(item)
                continue
            }
            if let place = born[item.name] {
                items[place] = items[place].joined(with: item)
            } else {
                born[item.name] = items.count
                items.append(item)
            }
        }
        return items.sorted { $0.id < $1.id }
    }
}
