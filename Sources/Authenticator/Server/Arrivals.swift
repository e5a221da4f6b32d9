import Platform

/// Decides which connections get a process. Starting one costs more than making a connection. A user who connects endlessly must not have the
/// processors, nor fill the listener's queue, at everybody's expense.
struct Arrivals {
    /// What to do with a connection.
    enum Verdict: ~Copyable {
        case start(Descriptor)
        case refuse(Descriptor)
        /// Nothing now: it is over already, or waits for its turn.
        case none
    }

    /// A connection that its user has made too fast.
    private final class Waiting {
        let uid: UInt32
        let due: ContinuousClock.Instant
        private var connection: Descriptor?

        init(_ connection: consuming Descriptor, of uid: UInt32, due: ContinuousClock.Instant) {
            self.connection = consume connection
            self.uid = uid
            self.due = due
        }

        var isOver: Bool {
            switch connection {
            case .some(let connection): connection.peerHasClosed()
            case nil: true
            }
        }

        /// Gives the connection away, once.
        func take() -> Descriptor? { connection.take() }
    }

    /// The most connections of one user that have a process or wait for it.
    private let ofUser: Int
    private let pace = ConnectionPace(burst: ServerLimits.burst, interval: ServerLimits.interval)
    private var waiting: [Waiting] = []

    init(ofUser: Int) { self.ofUser = ofUser }

    var isEmpty: Bool { waiting.isEmpty }

    /// When the next connection's turn comes.
    var next: ContinuousClock.Instant? { waiting.map(\.due).min() }

    /// Judges a connection that has just been accepted.
    /// - Parameter running: how many processes the user has already.
    mutating func judge(
        _ connection: consuming Descriptor, of uid: UInt32, running: Int, at now: ContinuousClock.Instant = .now
    ) -> Verdict {
        guard !connection.peerHasClosed() else { return .none }
        if running + waiting.count(where: { $0.uid == uid }) >= ofUser { dropOver(of: uid) }
        guard running + waiting.count(where: { $0.uid == uid }) < ofUser else { return .refuse(connection) }
        let delay = pace.delay(of: uid, at: now)
        guard delay > .zero else { return .start(connection) }
        guard waiting.count < ServerLimits.waiting else { return .refuse(connection) }
        waiting.append(Waiting(connection, of: uid, due: now + delay))
        return .none
    }

    /// - Returns: the next connection whose turn has come, and its user; nil if there is none.
    mutating func takeDue(at now: ContinuousClock.Instant = .now) -> Turn? {
        pace.forget(at: now)
        while let index = waiting.firstIndex(where: { $0.due <= now }) {
            let found = waiting.remove(at: index)
            if !found.isOver, let connection = found.take() { return Turn(uid: found.uid, connection: connection) }
        }
        return nil
    }

    /// A connection whose turn has come.
    struct Turn: ~Copyable {
        let uid: UInt32
        let connection: Descriptor
    }

    private mutating func dropOver(of uid: UInt32) { waiting.removeAll { $0.uid == uid && $0.isOver } }
}
