import Synchronization

/// A connection that several threads use, one after the other.
public final class SerialConnection: Sendable {
    private let turn = Mutex<Void>(())
    // Reached only by who has the turn.
    private nonisolated(unsafe) let connection: Connection

    public init(_ connection: sending Connection) { unsafe self.connection = connection }

    /// Gives `body` the connection for itself. It must neither keep it nor call this again.
    public func use<Result, Failure: Error>(
        _ body: (Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // `withLock` gives out only what another thread could have, too.
        var result: Result?
        try turn.withLock { (_: inout Void) throws(Failure) in result = try unsafe body(connection) }
        guard let result else { fatalError("a body that throws nothing has a result") }  // No other path leads here.
        return result
    }
}
