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
    /// The ids that names of items stand for.
    private var namedIDs = NamedIDs()
    private var registers: [SharedItemID: ItemRegister] = [:]
    /// Each id that a name has joined to a smaller one.
    private var joined: [SharedItemID: SharedItemID] = [:]
    private var waiting: [Missing: [PartChange]] = [:]
    private var waitingNames: Set<RevisionName> = []
    private var waitingCount: [WriterID: Int] = [:]
    /// What changes name that broke a rule. It is kept, so that everybody judges them alike.
    private var disputed: Set<RevisionName> = []
    /// The ids that an access control has ever asked somebody for.
    private var guarded: Set<SharedItemID> = []
    /// Changes that their writers no longer give out, because others took their place. Nothing waits for them.
    private let past: Set<UInt64>
    /// Those of them that are named by what is here, and are not here themselves. What is here comes in its order all the same.
    private var gone: Set<RevisionName> = []

    /// - Parameter past: of changes that are no longer given out, the numbers of their names.
    package init(past: Set<UInt64> = []) { self.past = past }

    /// The fold of changes, in the order in which they are given.
    package init(_ changes: some Sequence<PartChange>, past: Set<UInt64> = []) {
        self.past = past
        let changes = Array(changes)
        noteGone(among: changes)
        for change in changes { _ = take(change) }
    }

    /// Takes in changes in any order. What a writer has too much of at once is offered again.
    ///
    /// - Returns: what it still has too much of.
    package mutating func take(all changes: [PartChange]) -> [PartChange] {
        noteGone(among: changes)
        var open = changes
        while true {
            var left: [PartChange] = []
            for change in open where take(change) == .full { left.append(change) }
            guard left.count < open.count, !left.isEmpty else { return left }
            open = left
        }
    }

    private mutating func noteGone(among changes: [PartChange]) {
        guard !past.isEmpty else { return }
        let here = Set(changes.map(\.name))
        for name in changes.lazy.flatMap(\.named) where past.contains(name.number) && !here.contains(name) {
            if merged[name] == nil, !waitingNames.contains(name) { gone.insert(name) }
        }
    }

    /// Takes in a change, and all that has waited for it.
    @discardableResult
    package mutating func take(_ change: PartChange) -> Taken {
        guard merged[change.name] == nil, !waitingNames.contains(change.name), !gone.contains(change.name) else {
            return .known
        }
        if let missing = missing(of: change) {
            let count = waitingCount[change.stamp.writer, default: 0]
            guard count < Self.mostWaiting else { return .full }
            waitingCount[change.stamp.writer] = count + 1
            changeBytes += change.bytes.count
            waitingNames.insert(change.name)
            waiting[missing, default: []].append(change)
            return .waits(for: missing)
        }
        changeBytes += change.bytes.count
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

    /// The bytes of all changes that were merged or wait. One can be long: a text, or a list of what it replaces.
    package private(set) var changeBytes = 0

    /// How many changes were merged or wait.
    package var changeCount: Int { merged.count + waitingNames.count }

    /// How many ids the names of all changes have in lists, each of four bytes. Equal lists count once.
    package var listedIDCount: Int { namedIDs.listedCount }

    /// The changes that wait, and a change that each waits for; sorted by their names.
    package var waits: [(change: PartChange, missing: Missing)] {
        waiting.flatMap { missing, changes in changes.map { ($0, missing) } }.sorted { $0.0.name < $1.0.name }
    }

    private func missing(of change: PartChange) -> Missing? {
        if let named = change.named.first(where: { merged[$0] == nil && !gone.contains($0) }) {
            return .change(named)
        }
        return change.part == .name || named.contains(change.item) ? nil : .name(of: change.item)
    }

    private mutating func merge(_ change: PartChange) {
        let known = change.replaced.compactMap { name in merged[name].map { (name: name, former: $0) } }
        let replaced = known.map(\.former)
        let given = given(by: change, replacing: replaced)
        let isVoid = !Self.mayReplace(change, replaced) || change.part == .name && given == nil
        if isVoid { disputed.formUnion(change.named) }
        if case .access(let access)? = change.content, !access.requirements.isEmpty { guarded.insert(change.item) }
        merged[change.name] = MergedChange(change, given, isVoid: isVoid)
        guard !isVoid else { return }
        for (name, former) in known {
            registers[former.item]?.remove(name, of: former.part, stamp: former.stamp)
            merged[name]?.replace()
        }
        if change.content != nil {
            registers[change.item, default: ItemRegister()].insert(change)
        }
        guard let given else { return }
        named.insert(change.item)
        for number in given.ids { join(namedIDs.id(of: number), change.item) }
    }

    /// The rules of a change. They look at the change and at what it replaces alone, so they hold for everybody alike.
    private static func mayReplace(_ change: PartChange, _ replaced: [MergedChange]) -> Bool {
        replaced.allSatisfy { former in
            guard former.part == change.part, change.stamp.mayReplace(former.stamp) else { return false }
            // Each id keeps its own access controls and its own place in the bin.
            return former.item == change.item || change.part != .access && change.part != .bin
        }
    }

    /// - Returns: nil for another part, and for a name that breaks a rule.
    private mutating func given(by change: PartChange, replacing replaced: [MergedChange]) -> GivenName? {
        guard case .name(let name) = change.content else { return nil }
        let former = replaced.compactMap(\.given)
        guard former.count == replaced.count else { return nil }
        return namedIDs.give(name, to: change.item, replacing: former)
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

/// What decides whether a change must still be given out (``Compaction``).
extension SharedState {
    /// All present revisions.
    package var present: Set<RevisionName> {
        Set(registers.values.flatMap { $0.present.map(\.name) })
    }

    /// Whether a change was merged and breaks no rule.
    func isGood(_ name: RevisionName) -> Bool { merged[name].map { !$0.isVoid } ?? false }

    func stamp(of name: RevisionName) -> PartStamp? { merged[name]?.stamp }

    /// What is named by changes that broke a rule, or that cannot be judged yet.
    var inDoubt: Set<RevisionName> {
        disputed.union(waiting.values.flatMap { $0.flatMap(\.named) })
    }

    /// All ids of the items that somebody was ever asked for.
    var everGuarded: (SharedItemID) -> Bool {
        let roots = Set(guarded.map(root))
        return { roots.contains(root(of: $0)) }
    }

    func presentCount(of writer: WriterID, where isMeant: (SharedPart) -> Bool) -> Int {
        registers.values.reduce(0) { count, register in
            count + register.present.count { $0.stamp.writer == writer && isMeant($0.part) }
        }
    }

    /// How many merged changes of a writer are of such parts.
    func mergedCount(of writer: WriterID, where isMeant: (SharedPart) -> Bool) -> Int {
        merged.values.count { $0.stamp.writer == writer && isMeant($0.part) }
    }
}

extension SharedState {
    /// Equal at members that have the same changes: the SHA-256 of all present revisions and of what was joined.
    package var digest: RevisionName {
        get throws(MergingError) {
            let present = registers.values.flatMap { $0.present.map(\.name) }.sorted()
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
        // Of most ids, none was joined to another.
        var classes: [SharedItemID: [SharedItemID]] = [:]
        for id in joined.keys.sorted() where registers[id] != nil { classes[root(of: id), default: []].append(id) }
        var items: [SharedItem] = []
        var born: [ItemName: Int] = [:]
        var twins: [Int: [SharedItem]] = [:]
        let roots = Set(classes.keys).union(registers.keys.lazy.filter { joined[$0] == nil })
        for root in roots.sorted() {
            let ids = (registers[root] == nil ? [] : [root]) + (classes[root] ?? [])
            guard let item = SharedItem(ids: ids, registers) else { continue }
            if !item.isInBin, item.isBornUnderItsName {
                if let place = born[item.name] {
                    twins[place, default: [items[place]]].append(item)
                    continue
                }
                born[item.name] = items.count
            }
            items.append(item)
        }
        // All of one name at once: one after the other, thousands of them would be sorted thousands of times.
        for (place, same) in twins { if let one = SharedItem(joining: same) { items[place] = one } }
        return items.sorted { $0.id < $1.id }
    }
}
