import Synchronization

/// What was verified against the vault's present header, kept in memory so that it is not verified again. This process
/// is the file's only writer and holds its lock, so each entry stays true until this process writes its row.
///
/// Only the holder of the database's turn uses it, so it never changes during a read.
final class KeptRows: Sendable {
    /// An item that the tree has authenticated, as it is needed for reading.
    struct Item: Sendable {
        let stored: StoredItem
        /// nil if they were not read yet.
        var fields: ItemFields?
        /// nil if it is too long to be kept, or was not read yet.
        var sealedValue: (revision: RevisionID, bytes: [UInt8])?

        /// Roughly, in bytes.
        var cost: Int32 {
            let text = stored.summary.metadata.textCount + stored.record.sealedMetadata.count
            let slots = fields?.fields.reduce(0) { $0 + $1.reduce(0) { $0 + 300 + $1.slots.count * 400 } } ?? 0
            let stamps = fields?.sealedStamps.count ?? 0
            return Int32(clamping: 500 + text + slots + stamps + (sealedValue?.bytes.count ?? 0))
        }
    }

    private struct State {
        /// The revision of the header that all entries were verified against. nil: nobody knows what header the file
        /// has.
        var revision: UInt64?
        var items = RecentlyUsed<ItemID, Item>()
        var names = RecentlyUsed<ItemID, KeptName>()
        /// Empty: the tree proves that no item has this term.
        var postings = RecentlyUsed<[UInt8], [ItemID]>()
        var circle: KeptCircle?

        var cost: Int { items.cost + names.cost + postings.cost + (circle?.cost ?? 0) }
    }

    private let state = Mutex(State())
    private let memory: KeptMemory
    private let limits: KeptLimits

    init(_ memory: KeptMemory, _ limits: KeptLimits = KeptLimits()) {
        self.memory = memory
        self.limits = limits
    }

    deinit { memory.give(back: state.withLock { $0.cost }) }

    // What it is true for

    /// Whether all entries are true for the header of this revision.
    func isFor(_ revision: UInt64) -> Bool { state.withLock { $0.revision == revision } }

    /// Drops everything, and begins anew with what will be verified against the header of this revision.
    func begin(for revision: UInt64?) {
        state.withLock { state in
            memory.give(back: state.cost)
            state = State()
            state.revision = revision
        }
    }

    /// A change begins. Nothing is given out until it has ended well.
    func suspend() { state.withLock { $0.revision = nil } }

    /// A change that began at one header has ended with another. What it has not written stays true.
    func moveOn(to revision: UInt64, without written: WrittenRows) {
        state.withLock { state in
            state.revision = revision
            var freed = 0
            for item in written.items { freed += state.items.remove(item) + state.names.remove(item) }
            for term in written.terms { freed += state.postings.remove(term) }
            memory.give(back: freed)
        }
    }

    // Entries

    func item(_ id: ItemID) -> StoredItem? { state.withLock { $0.items.use(id)?.stored } }

    func put(_ item: StoredItem) {
        let kept = Item(stored: item)
        put(kept, for: item.summary.id, cost: kept.cost, in: \.items, limit: limits.items)
    }

    func fields(of item: StoredItem) -> ItemFields? {
        state.withLock { state in
            guard let kept = state.items.use(item.summary.id), kept.stored.record == item.record else { return nil }
            return kept.fields
        }
    }

    func put(_ fields: ItemFields, of item: StoredItem) {
        change(item.summary.id) { kept in
            guard kept.stored.record == item.record else { return false }
            kept.fields = fields
            return true
        }
    }

    func sealedValue(of item: ItemID, _ revision: RevisionID) -> [UInt8]? {
        state.withLock { state in
            guard let sealed = state.items.use(item)?.sealedValue, sealed.revision == revision else { return nil }
            return sealed.bytes
        }
    }

    func put(sealedValue: [UInt8], of item: ItemID, _ revision: RevisionID) {
        guard sealedValue.count <= limits.value else { return }
        change(item) { kept in
            // A former value is not kept in the place of the present one.
            guard kept.fields?.fields.first?.first?.revision == revision else { return false }
            kept.sealedValue = (revision, sealedValue)
            return true
        }
    }

    /// - Parameter body: returns whether it has changed the entry.
    private func change(_ item: ItemID, _ body: (inout Item) -> Bool) {
        guard var kept = state.withLock({ $0.items.peek(item) }), body(&kept) else { return }
        put(kept, for: item, cost: kept.cost, in: \.items, limit: limits.items)
    }

    func posting(_ term: [UInt8]) -> [ItemID]? { state.withLock { $0.postings.use(term) } }

    func put(_ items: [ItemID], of term: [UInt8]) {
        put(items, for: term, cost: Int32(clamping: 200 + 64 * items.count), in: \.postings, limit: limits.postings)
    }

    /// How many items have their name here.
    var nameCount: Int { state.withLock { $0.names.count } }

    func name(_ id: ItemID) -> KeptName? { state.withLock { $0.names.peek(id) } }

    /// The names of all items that have one here, in no order.
    var names: [(ItemID, KeptName)] { state.withLock { Array($0.names.values) } }

    /// Keeps a name if there is room. Many names at once never drive out others.
    func put(_ name: KeptName, of item: ItemID) {
        let cost = name.cost
        state.withLock { state in
            guard state.names.cost + Int(cost) <= limits.names, memory.take(Int(cost), held: state.cost) else { return }
            memory.give(back: state.names.remove(item))
            state.names.put(name, for: item, cost: cost)
        }
    }

    /// What was made of the circle's rows last. It says itself for which rows it is true.
    var circle: KeptCircle? { state.withLock { $0.circle } }

    func dropCircle() {
        state.withLock { state in
            memory.give(back: state.circle?.cost ?? 0)
            state.circle = nil
        }
    }

    /// Keeps it in the place of the former one, if there is room.
    func put(_ circle: KeptCircle) {
        state.withLock { state in
            memory.give(back: state.circle?.cost ?? 0)
            state.circle = nil
            guard circle.cost <= limits.circle, memory.take(circle.cost, held: state.cost) else { return }
            state.circle = circle
        }
    }

    private func put<Key: Sendable, Value: Sendable>(
        _ value: Value, for key: Key, cost: Int32,
        in place: any WritableKeyPath<State, RecentlyUsed<Key, Value>> & Sendable, limit: Int
    ) {
        guard cost <= limit else { return }
        state.withLock { state in
            memory.give(back: state[keyPath: place].remove(key))
            while state[keyPath: place].cost + Int(cost) > limit || !memory.take(Int(cost), held: state.cost) {
                guard let freed = state[keyPath: place].removeOldest() else { return }
                memory.give(back: freed)
            }
            state[keyPath: place].put(value, for: key, cost: cost)
        }
    }
}

/// The rows that one change has added, replaced or removed.
final class WrittenRows {
    private(set) var items: Set<ItemID> = []
    private(set) var terms: Set<[UInt8]> = []

    func note(_ item: ItemID) { items.insert(item) }

    func note(term: [UInt8]) { terms.insert(term) }
}
