import SQLite

@testable import Vault

/// A disk that fails for one statement, and for no other. The transaction stays open after such an error.
extension OpenVault {
    /// From now on, SQLite refuses this statement. The vault's own file does not change by that.
    ///
    /// - Parameter statement: with its table, such as `INSERT ON item`.
    func refuse(_ statement: String) throws(VaultError) {
        try run(
            "CREATE TEMP TRIGGER refusal BEFORE \(statement) BEGIN SELECT RAISE(ABORT, 'the disk fails'); END")
    }

    func refuseNothing() throws(VaultError) { try run("DROP TRIGGER temp.refusal") }

    private func run(_ sql: String) throws(VaultError) {
        try database.write { (rows) throws(VaultError) -> Void in
            try StorageGate.run { () throws(SQLiteError) in _ = try rows.database.once(sql) }
        }
    }
}
