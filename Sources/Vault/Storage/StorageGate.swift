import GRDB

/// Translates all errors of SQLite and GRDB, whose closures throw untyped.
enum StorageGate {
    static func run<Value>(_ body: () throws -> Value) throws(VaultError) -> Value {
        do {
            return try body()
        } catch let error as VaultError {
            throw error
        } catch let error as DatabaseError {
            throw translate(error)
        } catch {
            throw VaultError(.storage, "the vault's file cannot be used", cause: error)
        }
    }

    /// Errors of the file system become `.storage`. Any other error means that the file is not what Coffer wrote,
    /// because Coffer's statements are fixed.
    private static func translate(_ error: DatabaseError) -> VaultError {
        switch error.resultCode {
        case .SQLITE_FULL:
            return VaultError(.storage, "the disk is full: nothing was changed; make room and try again", cause: error)
        case .SQLITE_IOERR
        where [.SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS].contains(error.extendedResultCode):
            return .damaged("a part of the file cannot be read", cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return VaultError(.storage, "the vault's file is in use by another process; stop that one", cause: error)
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM,
            .SQLITE_INTERRUPT,
            .SQLITE_NOLFS, .SQLITE_PROTOCOL:
            return VaultError(
                .storage, "the vault's file cannot be read or written; look at the disk and its permissions",
                cause: error)
        default:
            return .damaged("SQLite cannot read it", cause: error)
        }
    }
}
