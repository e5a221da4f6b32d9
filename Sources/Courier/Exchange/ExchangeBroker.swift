import BrokerProtocol

/// The broker's calls that an exchange makes. A command makes them over its connection, and so can a service.
package protocol ExchangeBroker {
    associatedtype Failure: Error

    func look(_ call: Sync.Look) throws(Failure) -> Sync.Look.Reply
    func take(_ call: Sync.Take) throws(Failure) -> Sync.Take.Reply
    func give(_ call: Sync.Give) throws(Failure) -> Sync.Give.Reply
    func putBack(_ call: Sync.PutBack) throws(Failure) -> Sync.PutBack.Reply

    /// Whether the store has something of this vault that must be taken in first. The exchange is then repeated once.
    func mustTakeFirst(_ failure: Failure) -> Bool
}

/// Why an exchange did not come to its end. What it had done until then counts, and the next one goes on from there.
package enum ExchangeError<Failure: Error>: Error {
    case store(StoreError)
    case broker(Failure)
    /// The broker's answer fits no question.
    case notUnderstood(String)
}

/// What an exchange has done.
package struct ExchangeOutcome: Sendable, Equatable {
    /// How many items are new here, changed and deleted.
    package var added = 0
    package var updated = 0
    package var deleted = 0
    /// How many records wait for others.
    package var waiting = 0
    /// How many items are not shared, or not whole, by the reason.
    package var obstacles: [String: Int] = [:]
    /// The first of these, by the reason.
    package var unshared: [String: [Sync.Unshared]] = [:]
    /// How many parts of items several machines have changed at the same time.
    package var conflicts = 0
    /// How many segments went to the broker.
    package var taken = 0
    /// How many files went to the store.
    package var given = 0
    /// How many of these hold changes. A head alone tells others what was taken in.
    package var givenSegments = 0
    /// How many files of other machines the store had lost, and has again.
    package var putBack = 0
    /// Files that somebody else has put in the place of a member's. They were left out. The list has the first ones.
    package var strange: [String] = []

    package init() {}

    mutating func add(_ reply: Sync.Take.Reply) {
        added += Int(clamping: reply.added)
        updated += Int(clamping: reply.updated)
        deleted += Int(clamping: reply.deleted)
        // These are about the vault as it is now.
        waiting = Int(clamping: reply.waiting)
        conflicts = Int(clamping: reply.conflicts)
        (obstacles, unshared) = ([:], [:])
        for obstacle in reply.obstacles {
            obstacles[obstacle.reason, default: 0] += Int(clamping: obstacle.items)
            if let named = obstacle.named { unshared[obstacle.reason, default: []] += named }
        }
    }

    mutating func note(strange path: String) {
        guard strange.count < CourierLimits.strange, !strange.contains(path) else { return }
        strange.append(path)
    }
}
