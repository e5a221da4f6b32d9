import Synchronization

/// The uses of the sealer that wait for a signature, by challenge and index. Each belongs to one connection of the
/// authenticator.
final class OpenExchanges: Sendable {
    private struct Key: Hashable {
        let challenge: Challenge.ID
        let index: Int
    }

    private struct Entry {
        let connection: UInt64
        /// nil while the use begins.
        var exchange: SigningExchange?
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Keeps a place for an exchange that is about to begin. The end of the connection removes it.
    func expect(_ challenge: Challenge.ID, _ index: Int, connection: UInt64) {
        entries.withLock { $0[Key(challenge: challenge, index: index)] = Entry(connection: connection) }
    }

    /// Puts the exchange into its place.
    ///
    /// - Returns: false if the place is gone, so that nobody will sign.
    func fill(_ challenge: Challenge.ID, _ index: Int, connection: UInt64, _ exchange: SigningExchange) -> Bool {
        entries.withLock { entries in
            let key = Key(challenge: challenge, index: index)
            guard let entry = entries[key], entry.connection == connection, entry.exchange == nil else { return false }
            entries[key]?.exchange = exchange
            return true
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
            return ended.values.compactMap(\.exchange)
        }
        for exchange in ended { exchange.cancel() }
    }
}
