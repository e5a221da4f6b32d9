import Coffer

/// The values that were fetched, and the reads that are under way.
struct FetchedValues {
    /// The state of an item that a value was read from.
    struct State {
        let id: String
        let version: Int

        init(_ item: ItemAttributes) {
            id = item.id
            version = item.version
        }

        /// Whether this is that state of the item, or a later one.
        func isCurrent(since other: State?) -> Bool { other.map { id == $0.id && version >= $0.version } ?? false }
    }

    private struct Value {
        let bytes: [UInt8]
        let state: State
    }

    /// A read that is under way. What was forgotten meanwhile must not come back with its answer.
    private struct Read {
        var isVoid = false
        /// The accounts that changed meanwhile, with the states that values must have; nil if there is none.
        var changed: [ExactAccount: State?] = [:]
    }

    private var values: [ExactAccount: Value] = [:]
    private var reads: [UInt64: Read] = [:]
    private var last: UInt64 = 0

    var accounts: Set<ExactAccount> { Set(values.keys) }
    var bytes: [ExactAccount: [UInt8]] { values.mapValues(\.bytes) }

    mutating func beginRead() -> UInt64 {
        last &+= 1
        reads[last] = Read()
        return last
    }

    /// - Parameter item: nil if the read has failed.
    mutating func endRead(_ number: UInt64, of account: ExactAccount, _ item: Item?) {
        guard let read = reads.removeValue(forKey: number), !read.isVoid, let item else { return }
        let state = State(item.attributes)
        if let changed = read.changed[account], !state.isCurrent(since: changed) { return }
        values[account] = Value(bytes: item.value, state: state)
    }

    /// Forgets a value, unless it was read from this state of its item or from a later one.
    /// - Parameter state: nil if the item is gone.
    mutating func forget(_ account: ExactAccount, unless state: State?) {
        if values[account]?.state.isCurrent(since: state) != true { values[account] = nil }
        for number in reads.keys { reads[number]?.changed.updateValue(state, forKey: account) }
    }

    mutating func forgetAll() {
        values = [:]
        voidReads()
    }

    /// Values that are being read are not remembered.
    mutating func voidReads() {
        for number in reads.keys { reads[number]?.isVoid = true }
    }

    /// Forgets the values that were not read from these states of their items.
    /// - Returns: whether there were any.
    mutating func forget(notOf states: [ExactAccount: State]) -> Bool {
        let count = values.count
        values = values.filter { $0.value.state.isCurrent(since: states[$0.key]) }
        return values.count < count
    }
}
