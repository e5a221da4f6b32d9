import CSQLite

/// What a transaction is for.
public enum Transaction: Sendable {
    /// It is rolled back, so nothing that is done in it stays.
    case reading
    /// It waits for other writers at its beginning, and is committed.
    case writing

    fileprivate var begin: String {
        switch self {
        case .reading: "BEGIN DEFERRED TRANSACTION"
        case .writing: "BEGIN IMMEDIATE TRANSACTION"
        }
    }
}

extension Connection {
    private static let rollback = "ROLLBACK TRANSACTION"

    /// Runs `body` in a transaction. If `body` throws, the transaction is rolled back.
    ///
    /// - Parameter failure: what an error of beginning or ending the transaction becomes.
    public func transaction<Result, Failure: Error>(
        _ kind: Transaction, _ failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(SQLiteError) { try run(kind.begin) } catch { throw failure(error) }
        return try ending(kind, failure, body)
    }

    /// Runs `body`, which may begin a transaction of reading with ``beginReading()``. It ends with `body`.
    ///
    /// - Parameter failure: what an error of ending the transaction becomes.
    public func reading<Result, Failure: Error>(
        _ failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result { try ending(.reading, failure, body) }

    /// Begins a transaction of reading, within ``reading(_:_:)`` only.
    public func beginReading() throws(SQLiteError) { try run(Transaction.reading.begin) }

    private func ending<Result, Failure: Error>(
        _ kind: Transaction, _ failure: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result: Result
        do throws(Failure) { result = try body() } catch {
            rollBack()
            throw error
        }
        do throws(SQLiteError) {
            switch kind {
            case .reading: if isInTransaction { try run(Self.rollback) }
            // Also if SQLite has rolled back by itself: then this says so.
            case .writing: try run("COMMIT TRANSACTION")
            }
        } catch {
            rollBack()
            throw failure(error)
        }
        return result
    }

    private func rollBack() {
        // After some errors, SQLite has rolled back already. `try?`: the first error says more, and the next transaction
        // could not begin within this one.
        if isInTransaction { try? run(Self.rollback) }
    }
}
