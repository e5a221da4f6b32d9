import BrokerProtocol
import Cryptography
import Synchronization
import Varlink

/// The room in the secure heap that one call takes for a user, with the secrets that it leaves behind. It is counted
/// before use and given back when this object goes. Keep the object as long as the secrets.
final class SecretAllowance: Sendable {
    private let budgets: UserBudgets
    private let uid: UInt32
    private let taken = Mutex(0)

    init(_ budgets: UserBudgets, for uid: UInt32) {
        self.budgets = budgets
        self.uid = uid
    }

    /// The size of most keys, in bytes.
    static let key = 32

    /// Counts secrets of `count` bytes each.
    /// - Throws: `LimitExceeded` if the user, or all users together, hold too many.
    func take(_ count: Int, times: Int = 1) throws(Fault) {
        let room = SecureHeap.room(for: count) * times
        do throws(UserBudgets.Refusal) { try budgets.take(room, of: .secrets, for: uid) } catch {
            throw Fault(
                .limitExceeded, "Too many secrets are in use, yours or those of all users; try again later.")
        }
        taken.withLock { $0 += room }
    }

    /// Decodes a base64 value of a message into secret memory.
    func decode(_ text: String) throws(Fault) -> SecretBytes {
        try take(text.utf8.count / 4 * 3)
        return try WireValue.decode(text)
    }

    /// - Parameter text: base64; nil if the call has no application password.
    func decode(applicationPassword text: String?) throws(Fault) -> SecretBytes? {
        guard let text else { return nil }
        return try decode(text)
    }

    deinit { budgets.give(back: taken.withLock { $0 }, of: .secrets, for: uid) }
}
