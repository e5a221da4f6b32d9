import Authorization
import Cryptography
import Platform
import SQLite
import TPM

/// Whether a vault's file and a registry record belong together.
public enum FileFit: Sendable, Equatable {
    case fits
    /// They are of two vaults, or of two times. One of them may also be damaged.
    case differs
    /// The file does not tell.
    case unknown
}

extension VaultFile {
    /// Compares what a vault's file says of itself with a record. No key is needed, and nothing is proven by it.
    ///
    /// The file may be open. It is only looked at: nothing is locked, written or taken from a WAL beside it. If it is
    /// being written just now, the result may be wrong.
    public static func fit(_ path: String, _ record: RegistryRecord) -> FileFit {
        do throws(VaultError) {
            try checkKind(of: path)
            try DatabaseLimits.check(path)
            let connection = try looking(at: path)
            guard try Schema.check(connection) != nil else { return .unknown }
            let rows = Rows(connection)
            let content = try rows.header().content
            try Header.check(Header.format(of: content))
            let header = try Header(decoding: content)
            guard header.vault == record.vault, header.owner == record.owner, header.sealer == record.sealer,
                header.created == record.created
            else { return .differs }
            let fits = try unlockRoots(in: rows, header.sealer).contains { $0 == record.objects[.unlockRoot] }
            return fits ? .fits : hasWaitingCommit(path) ? .unknown : .differs
        } catch { return .unknown }
    }

    /// Whether a WAL beside the file has anything. A part of a commit may be in the file then, and the rest not yet.
    private static func hasWaitingCommit(_ path: String) -> Bool {
        // `try?`: what cannot be looked at counts as missing.
        ((try? FileStatus.of(path + "-wal"))?.size ?? 0) > 0
    }

    private static func looking(at path: String) throws(VaultError) -> Connection {
        try StorageGate.run { () throws(SQLiteError) in
            let connection = try Connection(lookingAt: path)
            try DatabaseLimits.apply(to: connection)
            for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY"] {
                try connection.once("PRAGMA \(pragma)")
            }
            return connection
        }
    }

    /// The Names of the unlock roots that the registry may name: during a change there are two.
    private static func unlockRoots(in rows: Rows, _ sealer: SealerKind) throws(VaultError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        if let root = try rows.objects()[.unlockRoot] { names.append(try name(of: root, sealer)) }
        if let bytes = try rows.transition(), let root = try Transition(decoding: bytes).unlockRoot {
            names.append(try name(of: root, sealer))
        }
        return names
    }

    private static func name(of object: SealedObject, _ sealer: SealerKind) throws(VaultError) -> [UInt8] {
        switch sealer {
        case .software:
            return try cryptography { () throws(CryptographyError) in try SoftwareObject.name(of: object.public) }
        case .tpm:
            do throws(TPMError) { return try PublicArea(marshalled: object.public).name() } catch {
                throw .damaged("its unlock root cannot be read", cause: error)
            }
        }
    }
}
