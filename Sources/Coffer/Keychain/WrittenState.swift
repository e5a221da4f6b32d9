/// In which state an item must be when it is written, from one round to the next.
///
/// An expired item can be looked at, but for the broker it is in no state (docs/broker-protocol.md, Set). Its clock decides
/// that alone. So what was refused although it is still as it was has expired, and is replaced as an absent one.
struct WrittenState {
    private var asked: String?
    private var refused: String?

    /// - Parameter present: the item as it is; nil if there is none.
    mutating func condition(_ present: ItemAttributes?) -> ItemChange.Condition {
        asked = present?.revision == refused ? nil : present?.revision
        return asked.map { .isUnchanged(revision: $0) } ?? .isAbsent
    }

    /// - Throws: an error for which looking again is of no use.
    mutating func refused(_ error: KeychainError) throws(KeychainError) {
        guard error.code == .changedMeanwhile || error.code == .alreadyExists else { throw error }
        refused = asked
    }
}
