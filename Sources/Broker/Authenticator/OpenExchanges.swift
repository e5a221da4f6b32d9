import Synchronization

/// The signing exchanges that wait for a signature, by challenge and index. Each belongs to one connection of the
/// authenticator.
final class OpenExchanges: Sendable {
    private struct Key: Hashable {
        let challenge: Challenge.ID
        let index: Int
    }

    private struct Entry {
        let exchange: SigningExchange
        let connection: UInt64
    }

    private let entries = Mutex<[Key: Entry]>([:])

    func insert(_ exchange: SigningExchange, _ challenge: Challenge.ID, _ index: Int, connection: UInt64) {
        entries.withLock {
            $0[Key(challenge: challenge, index: index)] = Entry(exchange: exchange, connection: connection)
        }
    }

    /// Returns the exchange and forgets it.
    func take(_ challenge: Challenge.ID, _ index: Int, connection: UInt64) -> SigningExchange? {
        entries.withLock { entries in
            let key = Key(challenge: challenge, index: index)
            guard entries[key]?.connection == connection else { return nil }
            return entries.removeValue(forKey: key)?.exchange
        }
    }

    func cancelAll(of connection: UInt64) {
        let ended = entries.withLock { entries in
            let ended = entries.filter { $0.value.connection == connection }
            for key in ended.keys { entries[key] = nil }
            return ended.values.map(\.exchange)
        }
        for exchange in ended { exchange.cancel() }
    }
}
