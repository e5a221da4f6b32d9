import Authorization
import Cryptography
import Item
import Platform
import Recovery

/// A vault's file, opened with its recovery code. It needs no TPM, registry or broker, and is read-only. Items for one
/// device only stay closed.
public final class RecoverableVault: Sendable {
    /// One item of the file.
    public struct Item: Sendable {
        public let summary: ItemSummary
        /// False if the item was for its former device only. It is lost with that device.
        public var isPortable: Bool { !summary.access.isThisDeviceOnly }

        let stored: StoredItem
    }

    public let vault: VaultID
    public let owner: Owner
    /// When the code was made, in milliseconds since 1970-01-01 UTC.
    public let made: UInt64
    /// All items, sorted by service and account. Those in the bin are left out.
    public let items: [Item]

    private let folder: PrivateFolder
    private let database: VaultDatabase
    private let keys: VaultKeys
    private let recoveryKey: X25519.PrivateKey
    private let header: Header

    /// Opens a copy of the file, because SQLite writes to a file that has an unfinished change beside it. The file
    /// stays as it is. The copy is deleted with this object.
    ///
    /// - Parameter scratch: a folder in which a private folder for the copy can be made. The copy is as sealed as the
    ///   file.
    /// - Throws: `.authenticationFailed` for a code that is not this file's; `.notFound` if the file has no code;
    ///   `.damaged`; `.newerFormat`; `.storage`.
    public init(copying path: String, to scratch: String, code: RecoveryCode) throws(VaultError) {
        do { folder = try PrivateFolder(in: scratch, prefix: "coffer-recovery") } catch {
            throw VaultError(.storage, "there is no room for a copy of the file in \(scratch)", cause: error)
        }
        let copy = folder.path + "/copy.vault"
        try VaultFile.copy(path, to: copy)
        database = try VaultDatabase(path: copy)
        let (found, wrap, sealedKeybag) = try database.read { (rows) throws(VaultError) in
            let schema = try rows.headSchema()
            let found = try rows.header()
            try Header.check(Header.format(of: found.content))
            let header = try Header(decoding: found.content)
            guard header.format == schema else { throw .damaged("its tables are not those of its format") }
            return (found, try Self.wrap(rows, header), try rows.keybag())
        }
        do throws(CryptographyError) { (recoveryKey, keys) = try wrap.open(code) } catch {
            guard error.code == .authenticationFailed else { throw VaultError(error) }
            // The row is intact, unless somebody changed it on purpose. So the code is not this file's.
            throw VaultError(
                .authenticationFailed, "the code is well formed, but it is another vault's or an older one",
                cause: error)
        }
        let present = try Self.check(found, sealedKeybag, keys, recoveryKey)
        if present.format < Header.newestFormat {
            // Only the copy becomes one of the newest format.
            let keys = keys
            header = try database.write { (rows) throws(VaultError) in try Migration.run(rows, present, keys).header }
        } else {
            header = present
        }
        vault = header.vault
        owner = header.owner
        made = wrap.made
        let (header, keys) = (header, keys)
        items = try database.read { (rows) throws(VaultError) in
            let stored = try Snapshot(rows, header: header, keys: keys).allItems()
            return stored.filter { !$0.summary.isDeleted }.map { Item(summary: $0.summary, stored: $0) }
        }.sorted {
            ($0.summary.metadata.service, $0.summary.metadata.account)
                < ($1.summary.metadata.service, $1.summary.metadata.account)
        }
    }

    deinit {
        // The copy is deleted with its folder, whether or not closing fails.
        try? database.close()
    }

    /// The value of a portable item's field. Constraints do not matter here.
    ///
    /// - Throws: `.locked` if the item was for its device only; `.noField`; `.damaged`, `.storage`.
    package func value(of item: Item, _ field: FieldName = .secret) throws(VaultError) -> SecretBytes {
        let (header, keys) = (header, keys)
        let (value, sealed) = try database.read { (rows) throws(VaultError) in
            let snapshot = Snapshot(rows, header: header, keys: keys)
            let value = try snapshot.value(of: item.stored, field)
            return (value, try snapshot.sealedValue(of: value))
        }
        guard value.field.address == nil else {
            throw VaultError(
                .locked, "another machine has sealed it, so only the code of a machine that set it opens it")
        }
        guard item.isPortable, let slot = value.field.slots.first(where: { $0.shape.keyClass == .recovery })
        else { throw VaultError(.locked, "it was for that device only") }
        let context = value.context(in: vault)
        let itemKey: SecretBytes
        do throws(CryptographyError) {
            itemKey = try slot.unwrap(
                classKey: recoveryKey, agreements: [], password: nil, constraintKeys: [], context)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            throw .damaged("an item's key does not open", cause: error)
        }
        try value.field.check(itemKey, context)
        return try context.open(sealed, key: itemKey)
    }

    /// The recovery row, if it is as it was written. Checking that needs no key, so that damage can be told apart from
    /// a wrong code.
    private static func wrap(_ rows: Rows, _ header: Header) throws(VaultError) -> RecoveryWrap {
        let content = try rows.recovery()
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            let digest = try content.map { (content) throws(CryptographyError) in
                try TreeEntry.digest(recovery: content)
            }
            return (try TreeEntry.recoveryKey(), digest)
        }
        guard try Tree(rows, root: header.root).digest(of: key) == digest else {
            throw .damaged("its recovery row is missing or changed")
        }
        guard let content else {
            throw VaultError(
                .notFound, "this copy was made before the first recovery code", advice: "take a later copy")
        }
        let wrap = try RecoveryWrap(decoding: content)
        guard wrap.vault == header.vault else { throw .damaged("its header or recovery row is changed") }
        return wrap
    }

    private static func check(
        _ found: (content: [UInt8], mac: [UInt8]), _ sealedKeybag: [UInt8], _ keys: VaultKeys,
        _ recoveryKey: X25519.PrivateKey
    ) throws(VaultError) -> Header {
        let isOurs = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.isValid(found.mac, for: Header.macMessage(found.content), key: keys.integrity)
        }
        guard isOurs else { throw .damaged("its header is foreign or changed") }
        let header = try Header(decoding: found.content)
        let digest = try cryptography { () throws(CryptographyError) in try SHA256.digest(sealedKeybag) }
        guard digest == header.keybagDigest else { throw .damaged("its keybag is foreign or changed") }
        let keybag = try Keybag(decoding: sealedKeybag, keys: keys, FormatContext(vault: header.vault))
        guard keybag.publicKey(of: .recovery) == recoveryKey.publicKey else {
            throw .damaged("its recovery key belongs to another vault")
        }
        return header
    }
}
