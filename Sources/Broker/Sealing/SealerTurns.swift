import Authorization
import Vault

/// Whose use of the TPM it is. Each has a share of the queue.
enum SealerUser: Hashable, Sendable {
    /// The broker itself.
    case broker
    /// The user who called, or the owner of the vault that needs it.
    case owner(Owner)

    static func user(_ uid: UInt32) -> SealerUser { .owner(.user(uid)) }
}

/// The order in which the TPM is used. Users take turns: a user with many waiting uses delays another by one use at
/// most. The uses of one user keep their order.
struct SealerTurns: Sendable {
    /// A use that waits for its turn.
    struct Waiter: Sendable {
        /// Begins the use, which ends its own turn.
        let begin: @Sendable () -> Void
        /// Whether its caller has stopped waiting.
        let isOver: @Sendable () -> Bool
        /// Tells its caller that it has no place.
        let refuse: @Sendable (SealerError) -> Void
    }

    /// What becomes of a new use.
    enum Arrival: Sendable {
        /// It has the turn.
        case begins
        case waits
        /// It waits in the place of another use, which must be refused.
        case displaces(Waiter)
        case refused(SealerError)
    }

    /// For a user who has as many waiting uses as one user may have.
    static let tooMany = SealerError(
        .deadline, "too many of your requests wait for the TPM", advice: "wait for their answers, then try again")
    static let busy = SealerError(.deadline, "the TPM is too busy", advice: "try again")

    /// The user who has the turn; nil if nobody has.
    private var holder: SealerUser?
    private var waiting: [SealerUser: [Waiter]] = [:]
    /// The users with waiting uses, in the order of their turns. The one who has the turn comes behind all others.
    private var order: [SealerUser] = []

    /// How many uses wait.
    var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Takes up a new use.
    mutating func enter(_ waiter: Waiter, of user: SealerUser) -> Arrival {
        guard let holder else {
            self.holder = user
            return .begins
        }
        dropOver()
        let own = waiting[user]?.count ?? 0
        guard own < SealerLimits.share else { return .refused(Self.tooMany) }
        var displaced: Waiter?
        // The one that has the turn counts too.
        if count + 1 >= SealerLimits.queue {
            guard let greediest = waiting.max(by: { $0.value.count < $1.value.count })?.key,
                var uses = waiting[greediest], uses.count > own + 1
            else { return .refused(Self.busy) }
            displaced = uses.removeLast()
            waiting[greediest] = uses
        }
        waiting[user, default: []].append(waiter)
        if user != holder, !order.contains(user) { order.append(user) }
        return displaced.map(Arrival.displaces) ?? .waits
    }

    /// Passes the turn on.
    /// - Returns: the use that has it now; nil if none waits.
    mutating func next() -> Waiter? {
        if let holder { order.append(holder) }
        holder = nil
        dropOver()
        while !order.isEmpty {
            let user = order.removeFirst()
            guard var uses = waiting[user] else { continue }
            let use = uses.removeFirst()
            waiting[user] = uses.isEmpty ? nil : uses
            holder = user
            return use
        }
        return nil
    }

    /// Frees the places of the callers who have stopped waiting. No list is left empty.
    private mutating func dropOver() {
        waiting = waiting.compactMapValues { (uses) -> [Waiter]? in
            let live = uses.filter { !$0.isOver() }
            return live.isEmpty ? nil : live
        }
    }
}
