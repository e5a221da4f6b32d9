import Cryptography
import Vault

/// The room in the secure heap for the keys of a user's items. It counts to the user's secrets, and is given up as soon
/// as a call needs it.
struct ItemKeyRoom: Sendable {
    let budgets: UserBudgets
    let uid: UInt32

    private static var size: Int { SecureHeap.room(for: ItemKey.count) }

    /// Counts one key.
    ///
    /// - Returns: whether there is room. Calls need more than half for themselves only seldom.
    func take() -> Bool { budgets.takeSpare(Self.size, for: uid) }

    func give(back count: Int) {
        if count > 0 { budgets.give(back: count * Self.size, of: .secrets, for: uid) }
    }
}
