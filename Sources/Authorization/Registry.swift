import JSON
import Platform

/// A record cannot be read, trusted or written. `cause` is the underlying error.
public struct RegistryError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        case unreadable, damaged, untrusted, conflict, unwritable
        /// A newer Coffer wrote the record. A backup in its place would take away what only this record names.
        case newerFormat
    }

    public let code: Code
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String
    public let cause: (any Error)?

    init(_ code: Code, _ reason: String, advice: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.cause = cause
    }

    /// The error below, as the wire names causes.
    public var underlying: String? { (cause as? SystemError)?.underlying }

    public var description: String {
        (cause.map { "\(reason): \($0)" } ?? reason) + (advice.isEmpty ? "" : "; \(advice)")
    }
}

/// The authenticator's folder of records. The authenticator writes them and the broker reads them.
public struct Registry: Sendable {
    public let directory: String
    /// The uid that every record must belong to.
    public let authenticatorUID: UInt32

    /// - Parameter authenticatorUID: 0, except in a sandbox.
    public init(directory: String, authenticatorUID: UInt32) {
        self.directory = directory
        self.authenticatorUID = authenticatorUID
    }

    public func path(of owner: Owner) -> String { "\(directory)/vaults/\(owner.fileStem).json" }

    /// The folder with the records of the vaults that root has set aside. Their keys stay in the TPM.
    public var setAsideDirectory: String { "\(directory)/set-aside" }

    /// - Returns: nil if the owner has no vault.
    public func record(for owner: Owner) throws(RegistryError) -> RegistryRecord? {
        let path = path(of: owner)
        guard let record = try record(in: path) else { return nil }
        guard record.owner == owner else {
            throw RegistryError(
                .damaged, "the registry record \(path) is another owner's (\(record.owner))",
                advice: Self.restore(path))
        }
        return record
    }

    /// What helps if a record cannot be used. It never takes anything away.
    public static func restore(_ path: String) -> String { "have root restore \(path) from a backup" }

    private func record(in path: String) throws(RegistryError) -> RegistryRecord? {
        let bytes: [UInt8]
        do {
            guard let status = try FileStatus.of(path) else { return nil }
            guard status.isRegular, status.uid == authenticatorUID, status.mode & 0o022 == 0 else {
                throw RegistryError(
                    .untrusted, "\(path) must be a file that only uid \(authenticatorUID) can write",
                    advice: "have root find out who wrote it, and restore it from a backup")
            }
            bytes = try DurableFile.read(path, limit: Self.longestRecord)
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError(.unreadable, "the registry record \(path) cannot be read", cause: error)
        }
        do throws(JSONFailure) { return try JSONReader.read(RegistryRecord.self, from: bytes) } catch {
            // `try?`: a record that tells no format is damaged.
            if let format = (try? JSONReader.read(RecordFormat.self, from: bytes))?.number,
                format > RegistryRecord.currentFormat
            {
                throw RegistryError(
                    .newerFormat,
                    "the registry record \(path) has format \(format), "
                        + "but this Coffer knows only format \(RegistryRecord.currentFormat)",
                    advice: "update Coffer; keep this file, and put no backup in its place")
            }
            throw RegistryError(
                .damaged, "the registry record \(path) is damaged", advice: Self.restore(path), cause: error)
        }
    }

    /// The owners that have a record, whether it can be used or not.
    public func owners() throws(RegistryError) -> [Owner] {
        try names(in: "\(directory)/vaults").map { (name) throws(RegistryError) in
            let text = name.dropLast(5).split(separator: "-", maxSplits: 1).joined(separator: ":")
            guard let owner = Owner(text: text) else {
                throw RegistryError(.damaged, "\(directory)/vaults/\(name) is no owner's record")
            }
            return owner
        }
    }

    /// The names of the records in a folder; none if there is no folder.
    private func names(in folder: String) throws(RegistryError) -> [String] {
        do throws(SystemError) {
            guard try FileStatus.of(folder) != nil else { return [] }
            return try Folder.entries(folder).filter { $0.hasSuffix(".json") }
        } catch { throw RegistryError(.unreadable, "the registry's folder \(folder) cannot be read", cause: error) }
    }

    /// The records of the vaults that root has set aside.
    public func setAsideRecords() throws(RegistryError) -> [RegistryRecord] {
        try names(in: setAsideDirectory).map { (name) throws(RegistryError) in
            try record(in: "\(setAsideDirectory)/\(name)")
        }.compactMap(\.self)
    }

    /// All records.
    ///
    /// - Throws: as ``record(for:)``. An unreadable record is an error and is not skipped.
    public func records() throws(RegistryError) -> [RegistryRecord] {
        // A record that is gone meanwhile was set aside, where it still counts.
        try owners().map { (owner) throws(RegistryError) in try record(for: owner) }.compactMap(\.self)
    }

    /// The handles that no new index takes, even if the TPM has nothing there: those of all records that can be read.
    public func reservedHandles() -> Set<UInt32> {
        var handles: Set<UInt32> = []
        for folder in ["\(directory)/vaults", setAsideDirectory] {
            // `try?`: a folder or record that cannot be read keeps nobody from making a vault. A new index destroys
            // nothing, and acceptance reads the records again before it removes one.
            for name in (try? names(in: folder)) ?? [] {
                if let record = (try? record(in: "\(folder)/\(name)")) ?? nil { handles.formUnion(record.indexHandles) }
            }
        }
        return handles
    }

    /// The file with the public point of the authenticator's present signing key, in hexadecimal. The
    /// authenticator writes it.
    public static func presentKeyPath(in directory: String) -> String { "\(directory)/signing-key.pub" }

    /// The public point of the authenticator's present signing key, 65 bytes.
    ///
    /// - Returns: nil if the authenticator has not written it yet.
    /// - Throws: `.unreadable`, `.untrusted`, `.damaged`.
    public func presentKey() throws(RegistryError) -> [UInt8]? {
        let path = Self.presentKeyPath(in: directory)
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { return nil }
            guard status.isRegular, status.uid == authenticatorUID, status.mode & 0o022 == 0 else {
                throw SystemError(
                    "use \(path)", reason: "it must be a file that only uid \(authenticatorUID) can write")
            }
            bytes = try DurableFile.read(path, limit: Self.longestKeyFile)
        } catch { throw RegistryError(.unreadable, "\(path) cannot be read", cause: error) }
        guard let point = Hex.decode(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)), point.count == 65
        else {
            throw RegistryError(.damaged, "\(path) names no key")
        }
        return point
    }

    /// Writes a new vault's record durably. Only the authenticator may call this.
    ///
    /// - Throws: `.conflict` if the owner has another record already; `.unwritable`; as ``record(for:)``.
    public func write(_ record: RegistryRecord) throws(RegistryError) {
        if let present = try self.record(for: record.owner) {
            if present == record { return }
            throw RegistryError(.conflict, "\(record.owner) has a vault already")
        }
        try store(record)
    }

    /// Replaces a record durably with one made from it. Only the authenticator may call this.
    ///
    /// - Throws: `.conflict` if the present record is not `old`; `.unwritable`; as ``record(for:)``.
    public func replace(_ old: RegistryRecord, with record: RegistryRecord) throws(RegistryError) {
        let lock = try Self.lock(path(of: old.owner) + ".lock")
        defer { lock.keep() }
        guard old.owner == record.owner, old.vault == record.vault, try self.record(for: old.owner) == old else {
            throw RegistryError(.conflict, "the record of \(old.owner) was changed meanwhile", advice: "try again")
        }
        try store(record)
    }

    /// Replaces a record durably with that of another vault of the same owner, which takes over. Only the authenticator
    /// may call this.
    ///
    /// - Throws: `.conflict` if the present record is not `old`; `.unwritable`; as ``record(for:)``.
    public func succeed(_ old: RegistryRecord, with record: RegistryRecord) throws(RegistryError) {
        let lock = try Self.lock(path(of: old.owner) + ".lock")
        defer { lock.keep() }
        guard old.owner == record.owner, old.vault != record.vault, try self.record(for: old.owner) == old else {
            throw RegistryError(.conflict, "the record of \(old.owner) was changed meanwhile", advice: "try again")
        }
        try store(record)
    }

    /// Moves an owner's record aside durably, whatever is in it. Only the authenticator may call this.
    ///
    /// - Returns: the record if it can be read, and where it is now; nil for the path if there is no record.
    public func setAside(
        _ owner: Owner, stamp: String
    ) throws(RegistryError) -> (present: RegistryRecord?, path: String?) {
        let path = path(of: owner)
        do throws(SystemError) { guard try FileStatus.of(path) != nil else { return (nil, nil) } } catch {
            throw RegistryError(.unreadable, "the registry record \(path) cannot be examined", cause: error)
        }
        let lock = try Self.lock(path + ".lock")
        defer { lock.keep() }
        // `try?`: a record that cannot be read is moved like any other.
        let present = (try? record(for: owner)) ?? nil
        let aside = "\(setAsideDirectory)/\(owner.fileStem).\(stamp).json"
        do throws(SystemError) {
            try Folder.make(setAsideDirectory, mode: 0o755)
            guard try FileStatus.of(path) != nil else { return (present, nil) }
            guard try FileStatus.of(aside) == nil else {
                throw SystemError("move \(path)", reason: "\(aside) exists already")
            }
            try DurableFile.move(path, to: aside)
            try DurableFile.syncFolder(of: path)
        } catch {
            throw RegistryError(.unwritable, "the registry record \(path) cannot be moved", cause: error)
        }
        return (present, aside)
    }

    private static func lock(_ path: String) throws(RegistryError) -> FileLock {
        do throws(SystemError) { return try FileLock(path: path) } catch {
            throw RegistryError(.unwritable, "the registry cannot be locked", cause: error)
        }
    }

    private func store(_ record: RegistryRecord) throws(RegistryError) {
        let path = path(of: record.owner)
        let text = JSONWriter.bytes(of: record, isPretty: true) + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try Folder.make("\(directory)/vaults", mode: 0o755)
            try DurableFile.write(text, to: path, mode: 0o644)
        } catch {
            throw RegistryError(.unwritable, "the registry record \(path) cannot be written", cause: error)
        }
    }
}

// The limits of the registry, in bytes.
extension Registry {
    /// The longest record that is accepted.
    public static let longestRecord = 64 << 10
    /// The longest file with the authenticator's present key.
    static let longestKeyFile = 1024
    /// The longest context of a counter that a record names.
    static let longestContext = 1024
}
