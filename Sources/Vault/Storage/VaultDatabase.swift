import Platform
import SQLite
import Synchronization

/// A vault's SQLite file. It has one connection, locked against all others. Before a change is reported, it is on disk
/// and the WAL is empty.
///
/// SQLite commits into the WAL without syncing it, because writing it back syncs it first. A commit that was not written
/// back is synced here before anybody sees it.
final class VaultDatabase: Sendable {
    private let connection: SerialConnection
    private let path: String
    private let place: FilePlace
    /// Whether a power cut could undo a commit. The TPM or the registry must never follow such a one.
    private let isUnsynced = Atomic(false)

    /// SQLite's default, in bytes.
    static let pageSize = 4096

    /// - Parameters:
    ///   - path: an existing file, possibly empty. SQLite gives its side files the same permissions.
    ///   - pageSize: in bytes, for an empty file.
    init(path: String, pageSize: Int = VaultDatabase.pageSize) throws(VaultError) {
        try DatabaseLimits.check(path)
        // SQLite would only say that the file is in another mode than it should be.
        if let obstacle = Self.obstacle(path) { throw obstacle }
        self.path = path
        let place = try FilePlace(path)
        self.place = place
        // A broker that was killed may have left a commit there.
        try Self.syncLog(of: path)
        let (connection, mode) = try StorageGate.run { () throws(SQLiteError) in
            // A broker that was just stopped may take a moment to release the file.
            let connection = try Connection(path: path, busyTimeout: 2000)
            try DatabaseLimits.apply(to: connection)
            // Exclusive mode uses no shared-memory file that others could write to, and allows no second writer.
            for pragma in [
                "page_size = \(pageSize)", "locking_mode = EXCLUSIVE", "foreign_keys = OFF", "trusted_schema = OFF",
                "cell_size_check = ON", "mmap_size = 0", "secure_delete = ON", "temp_store = MEMORY",
                "synchronous = NORMAL",
            ] { try connection.once("PRAGMA \(pragma)") }
            return (connection, try connection.once("PRAGMA journal_mode = WAL"))
        }
        guard mode == [.text("wal")] else {
            throw .damaged("it is not in WAL mode and cannot be brought there")
        }
        // SQLite may have opened another file than the one that was looked at.
        try place.check()
        self.connection = SerialConnection(connection)
    }

    /// Why the vault cannot be written, if the file or its folder is the reason.
    ///
    /// A vault that can only be read stays closed. Coffer records each read before it gives out a secret, and brings the
    /// file's epoch forward in each run. It can do neither here.
    private static func obstacle(_ path: String) -> VaultError? {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for place in [folder, path] {
            do throws(SystemError) { try FileSystemRoom.checkWritable(place) } catch {
                return VaultError(
                    .storage, "the vault cannot be used: \(error.message)",
                    advice:
                        "have root make it writable for cofferd; Coffer opens no vault for reading only, because it records each read",
                    cause: error)
            }
        }
        return nil
    }

    private func use<Value>(_ body: (Connection) throws(VaultError) -> Value) throws(VaultError) -> Value {
        guard !isUnsynced.load(ordering: .relaxed) else {
            throw VaultError(
                .storage, "the disk could not store the vault's last change",
                advice: "check the disk, then restart cofferd"
            )
        }
        return try useAnyway(body)
    }

    /// Gives `body` the connection for itself, and names the file if that cannot be used.
    private func useAnyway<Value>(_ body: (Connection) throws(VaultError) -> Value) throws(VaultError) -> Value {
        do throws(VaultError) {
            return try connection.use(body)
        } catch {
            guard error.code == .storage, let obstacle = Self.obstacle(path) else { throw error }
            throw obstacle
        }
    }

    /// Reads within one transaction. It is rolled back, so nothing that `body` does stays in the file.
    func read<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try use { (connection) throws(VaultError) in
            try connection.transaction(.reading, StorageGate.translate) { () throws(VaultError) in
                try body(Rows(connection))
            }
        }
    }

    /// Reads in one transaction, which begins when the first row is read. If `body` reads none, there is none.
    ///
    /// - Parameter begun: runs when the transaction has begun, before the row is read.
    func readLate<Value>(
        begun: (Rows) throws(VaultError) -> Void, _ body: (Rows) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        try use { (connection) throws(VaultError) in
            try withoutActuallyEscaping(begun) { (begun) throws(VaultError) in
                try connection.reading(StorageGate.translate) { () throws(VaultError) in
                    try body(Rows(connection, late: LateReading(connection, begun)))
                }
            }
        }
    }

    /// Checks that the next opening of the vault finds the file that is open.
    ///
    /// - Throws: `.replaced`, `.storage`.
    func checkPlace() throws(VaultError) { try place.check() }

    /// Runs one transaction. Afterwards everything is in the file itself.
    ///
    /// - Parameter ended: runs when the change is committed, before anybody else can read it. It gets the rows that the
    ///   change has written; nil if the change could not be written back, so that an error follows.
    /// - Throws: `.replaced` if the next opening would not find what is stored; what `body` throws; `.storage`.
    func write<Value>(
        _ body: (Rows) throws(VaultError) -> Value, ended: (Value, WrittenRows?) -> Void = { _, _ in }
    ) throws(VaultError) -> Value {
        try checkPlace()
        return try use { (connection) throws(VaultError) in
            let written = WrittenRows()
            let result: Value
            do throws(VaultError) {
                result = try connection.transaction(.writing, StorageGate.translate) { () throws(VaultError) in
                    try body(Rows(connection, written: written))
                }
            } catch {
                shortenLog(connection)
                throw error
            }
            do throws(VaultError) { try Self.emptyLog(connection) } catch {
                // The commit stands in the log, so the next read finds it. A commit that may be lost is seen by nobody.
                if keepCommit(after: error) { ended(result, nil) }
                throw error
            }
            ended(result, written)
            return result
        }
    }

    func close() throws(VaultError) {
        try useAnyway { (connection) throws(VaultError) in
            try StorageGate.run { () throws(SQLiteError) in try connection.close() }
        }
    }

    /// Acknowledged changes must not depend on the WAL: one damaged frame would undo everything after it.
    private static func emptyLog(_ connection: Connection) throws(VaultError) {
        let row: [Value]?
        do throws(SQLiteError) { row = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first } catch {
            throw StorageGate.notWrittenBack(error)
        }
        // Whether it was kept from it, and how many pages are left in the log ("PRAGMA wal_checkpoint").
        guard let row, row.count == 3, row[0] == .integer(0), row[1] == .integer(0) else {
            throw StorageGate.notWrittenBack(nil)
        }
    }

    /// Gives back what a failed change has taken of the disk. If that is full, reads would fail too, because each access
    /// is recorded first.
    private func shortenLog(_ connection: Connection) {
        // `try?`: a log that cannot be looked at stays as it is.
        guard ((try? FileStatus.of(path + "-wal"))?.size ?? 0) > 0 else { return }
        // An earlier commit may be in it.
        do throws(VaultError) { try Self.emptyLog(connection) } catch { keepCommit(after: error) }
    }

    /// Syncs a commit that stays in the WAL. If that fails, nobody sees it before the file is opened again.
    ///
    /// - Returns: whether it is synced.
    @discardableResult
    private func keepCommit(after error: VaultError) -> Bool {
        // The kernel reports a failed sync once, so another one would succeed in vain.
        var isLost = (error.cause as? SQLiteError)?.isOfSync ?? false
        do throws(VaultError) { try Self.syncLog(of: path) } catch { isLost = true }
        if isLost { isUnsynced.store(true, ordering: .relaxed) }
        return !isLost
    }

    private static func syncLog(of path: String) throws(VaultError) {
        let log = path + "-wal"
        do throws(SystemError) {
            guard let status = try FileStatus.of(log), status.size > 0 else { return }
            try DurableFile.sync(log)
        } catch {
            throw VaultError(
                .storage, "the vault's files cannot be used: \(error.message)",
                advice: "check the disk and its permissions", cause: error)
        }
    }
}

/// A transaction of reading that begins when it is needed.
final class LateReading {
    private let connection: Connection
    private let begun: (Rows) throws(VaultError) -> Void
    private var hasBegun = false

    init(_ connection: Connection, _ begun: @escaping (Rows) throws(VaultError) -> Void) {
        self.connection = connection
        self.begun = begun
    }

    func begin() throws(VaultError) {
        guard !hasBegun else { return }
        try StorageGate.run { () throws(SQLiteError) in try connection.beginReading() }
        try begun(Rows(connection))
        // Only now: after an error, the next attempt finds the transaction begun, and fails as well.
        hasBegun = true
    }
}

/// Translates SQLite's errors.
enum StorageGate {
    static func run<Value>(_ body: () throws(SQLiteError) -> Value) throws(VaultError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw translate(error) }
    }

    /// What is said of a commit that could not be written back.
    ///
    /// - Parameter error: SQLite's; nil if something was left in the log without one.
    static func notWrittenBack(_ error: SQLiteError?) -> VaultError {
        // A damaged file is no matter of the write-back.
        if let error, translate(error).code == .damaged { return translate(error) }
        guard error?.kind == .full else {
            return VaultError(
                .storage, "the change could not be written back, and may or may not be stored",
                advice: "check the disk, see whether the change is stored, and try again if it is not", cause: error)
        }
        return VaultError(
            .storage, "the disk is full: the change could not be written back, and may or may not be stored",
            advice: "make room, see whether the change is stored, and try again if it is not", cause: error)
    }

    /// Errors of the file system become `.storage`. Any other error means that the file is not what Coffer wrote,
    /// because Coffer's statements are fixed.
    static func translate(_ error: SQLiteError) -> VaultError {
        switch error.kind {
        case .full:
            VaultError(
                .storage, "the disk is full, so nothing was changed", advice: "make room and try again", cause: error)
        case .unreadable: .damaged("a part of the file cannot be read", cause: error)
        case .busy:
            VaultError(
                .storage, "the vault's file is in use by another process", advice: "stop that process", cause: error)
        case .inaccessible:
            VaultError(
                .storage, "the vault's file cannot be read or written", advice: "check the disk and its permissions",
                cause: error)
        case .outOfMemory:
            VaultError(
                .outOfMemory, "there is no memory for the vault's file just now", advice: SealerError.tryAgain,
                cause: error)
        case .other: .damaged("SQLite cannot read it", cause: error)
        }
    }
}
