import BrokerProtocol
import Cryptography
import Synchronization
import Varlink
import Vault

/// Counts what each user holds of shared resources. A request over a limit is refused, so that no user can take what
/// others need.
final class UserBudgets: Sendable {
    enum Resource: CaseIterable, Sendable {
        case connections, monitors, locks, unfinished, lists, answers, secrets, stretches
    }

    /// Why a request was refused.
    enum Refusal: Error, Equatable {
        /// The user holds as much as one user may.
        case ofUser(limit: Int)
        /// All users together hold so much that only users who hold little get more.
        case ofAll(limit: Int)
    }

    private struct State {
        var total: [Resource: Int] = [:]
        var users: [UInt32: [Resource: Int]] = [:]
    }

    let limits: BudgetLimits
    private let state = Mutex(State())
    private let yielding = Mutex<(@Sendable (Refusal, UInt32) -> Void)?>(nil)

    init(limits: BudgetLimits) { self.limits = limits }

    /// Counts something for a user before it is made. Secrets that are kept only to save work make room for others.
    func take(_ amount: Int, of resource: Resource, for uid: UInt32) throws(Refusal) {
        do throws(Refusal) { try count(amount, of: resource, for: uid) } catch {
            guard resource == .secrets, let yield = yielding.withLock({ $0 }) else { throw error }
            yield(error, uid)
            try count(amount, of: resource, for: uid)
        }
    }

    /// Sets what gives up secrets that are kept only to save work: those of the user, or of all users.
    func onShortage(_ yield: @escaping @Sendable (Refusal, UInt32) -> Void) { yielding.withLock { $0 = yield } }

    /// Counts a secret that is kept only to save work. Half of the room, a user's and that of all, is never taken so.
    func takeSpare(_ amount: Int, for uid: UInt32) -> Bool {
        let limit = limits[.secrets]
        return state.withLock { state in
            let held = state.users[uid]?[.secrets] ?? 0
            let total = state.total[.secrets] ?? 0
            guard amount <= limit.user / 2 - held, amount <= limit.open / 2 - total else { return false }
            Self.add(amount, .secrets, uid, &state)
            return true
        }
    }

    private func count(_ amount: Int, of resource: Resource, for uid: UInt32) throws(Refusal) {
        let limit = limits[resource]
        try state.withLock { state throws(Refusal) in
            let held = state.users[uid]?[resource] ?? 0
            let total = state.total[resource] ?? 0
            guard amount <= limit.user - held else { throw .ofUser(limit: limit.user) }
            // From the reserve comes only what a user with little wants.
            let isSmall = amount <= limit.ensured - held
            guard amount <= (isSmall ? limit.all : limit.open) - total else { throw .ofAll(limit: limit.all) }
            Self.add(amount, resource, uid, &state)
        }
    }

    /// Call this when the resource is released.
    func give(back amount: Int, of resource: Resource, for uid: UInt32) {
        state.withLock { Self.add(-amount, resource, uid, &$0) }
    }

    func held(_ resource: Resource, by uid: UInt32) -> Int { state.withLock { $0.users[uid]?[resource] ?? 0 } }

    /// The users who hold some of this resource, the largest holder first.
    func greediest(_ resource: Resource) -> [UInt32] {
        state.withLock { state in
            state.users.compactMap { uid, held in held[resource].map { (uid, $0) } }.sorted { $0.1 > $1.1 }.map(\.0)
        }
    }

    func total(_ resource: Resource) -> Int { state.withLock { $0.total[resource] ?? 0 } }

    private static func add(_ amount: Int, _ resource: Resource, _ uid: UInt32, _ state: inout State) {
        state.total[resource, default: 0] += amount
        state.users[uid, default: [:]][resource, default: 0] += amount
        if state.users[uid]?[resource] == 0 { state.users[uid]?[resource] = nil }
        if state.users[uid]?.isEmpty ?? false { state.users[uid] = nil }
    }
}

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
                .limitExceeded, "too many secrets are in use, yours or those of all users", advice: "try again later")
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
