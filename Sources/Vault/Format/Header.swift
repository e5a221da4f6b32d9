import Authorization
import Cryptography
import Item

/// The row that authenticates all others (docs/vault-format.md, "header").
struct Header: Sendable, Equatable {
    static let magic = Array("COFFERV1".utf8)

    /// The newest format, which every file that is open has.
    static let newestFormat: UInt16 = 3

    /// The file's format, 1 to 3.
    var format: UInt16
    let vault: VaultID
    let sealer: SealerKind
    let owner: Owner
    let created: UInt64
    var epoch: UInt64
    var revision: UInt64
    var itemCount: UInt32
    /// The digest of node 0/0.
    var root: [UInt8]
    var keybagDigest: [UInt8]
    var objectsDigest: [UInt8]
    /// What was written since the epoch last advanced.
    var advanceDue: AdvanceDue
    /// What the vault keeps of values that were replaced. Not in format 1.
    var history: HistorySetting
    /// No former value was replaced before this time, in milliseconds since 1970-01-01 UTC. Not in format 1.
    var oldestFormer: UInt64
    /// How many days a deleted item stays in the bin. Not in formats 1 and 2.
    var binDays: UInt16
    /// No item of the bin was deleted before this time, in milliseconds since 1970-01-01 UTC. Not in formats 1 and 2.
    var oldestDeletion: UInt64

    var encoded: [UInt8] {
        var bytes = Self.magic + BigEndian.bytes(format) + vault.bytes
        bytes += [sealer == .tpm ? 1 : 2]
        bytes += LengthPrefixed.encode(Array(owner.text.utf8))
        bytes +=
            BigEndian.bytes(created) + BigEndian.bytes(epoch) + BigEndian.bytes(revision) + BigEndian.bytes(itemCount)
        bytes += root + keybagDigest + objectsDigest + [advanceDue.rawValue]
        if format >= 2 { bytes += history.encoded + BigEndian.bytes(oldestFormer) }
        if format >= 3 { bytes += BigEndian.bytes(binDays) + BigEndian.bytes(oldestDeletion) }
        return bytes
    }

    /// Parses bytes of formats 1 to 3. Check `format(of:)` first.
    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the header")
        guard try reader.bytes(8) == Self.magic else { throw .damaged("the header is not one of this format") }
        format = try reader.integer()
        guard (1...Self.newestFormat).contains(format), let vault = VaultID(bytes: try reader.bytes(16)) else {
            throw .damaged("the header is not one of this format")
        }
        self.vault = vault
        switch try reader.integer(UInt8.self) {
        case 1: sealer = .tpm
        case 2: sealer = .software
        default: throw .damaged("the header names an unknown sealer")
        }
        guard let owner = Owner(text: String(decoding: try reader.prefixed(), as: UTF8.self)) else {
            throw .damaged("the header names no owner")
        }
        self.owner = owner
        created = try reader.integer()
        epoch = try reader.integer()
        revision = try reader.integer()
        itemCount = try reader.integer()
        root = try reader.bytes(SHA256.count)
        keybagDigest = try reader.bytes(SHA256.count)
        objectsDigest = try reader.bytes(SHA256.count)
        guard let due = AdvanceDue(rawValue: try reader.integer()), format > 1 || due < .step else {
            throw .damaged("the header is not one of this format")
        }
        advanceDue = due
        history = format < 2 ? .standard : try HistorySetting(&reader)
        oldestFormer = format < 2 ? Self.noFormer : try reader.integer()
        binDays = format < 3 ? Self.standardBinDays : try reader.integer()
        oldestDeletion = format < 3 ? Self.noDeletion : try reader.integer()
        guard binDays <= ItemLimits.binDays.most else { throw .damaged("the header has an impossible bin") }
        try reader.end()
        guard encoded == bytes else { throw .damaged("the header is not one of this format") }
    }

    /// The header of a vault without items.
    init(record: RegistryRecord, keybagDigest: [UInt8], objectsDigest: [UInt8]) {
        format = Self.newestFormat
        vault = record.vault
        sealer = record.sealer
        owner = record.owner
        created = record.created
        epoch = 1
        revision = 1
        itemCount = 0
        root = TreeNode.emptyDigest
        self.keybagDigest = keybagDigest
        self.objectsDigest = objectsDigest
        advanceDue = .nothing
        history = .standard
        oldestFormer = Self.noFormer
        binDays = Self.standardBinDays
        oldestDeletion = Self.noDeletion
    }

    /// What `oldestFormer` is while there is no former value.
    static let noFormer = UInt64.max

    /// What `oldestDeletion` is while the bin is empty.
    static let noDeletion = UInt64.max

    /// For how many days a vault keeps what was deleted, unless it is set otherwise.
    static let standardBinDays = UInt16(ItemLimits.binDays.usual)

    /// - Throws: `.newerFormat` for a format that this code does not know.
    static func check(_ format: UInt16) throws(VaultError) {
        guard format > newestFormat else { return }
        throw VaultError(
            .newerFormat,
            "the vault has format \(format), but this Coffer knows only formats up to \(newestFormat)",
            advice: "update Coffer"
        )
    }

    /// The format that a header claims. A header's magic, place and MAC stay the same in every format, so that Coffer
    /// can tell a newer format from damage.
    static func format(of bytes: [UInt8]) throws(VaultError) -> UInt16 {
        var reader = ByteReader(bytes, "the header")
        guard try reader.bytes(8) == magic else { throw .damaged("the file does not begin like a vault") }
        return try reader.integer()
    }

    static func macMessage(_ content: [UInt8]) -> [UInt8] {
        LengthPrefixed.encode(Array("org.coffer.header".utf8), content)
    }

    /// SHA-256 over all objects in the order of their roles, then over the transition.
    ///
    /// - Parameter transition: empty if there is none.
    static func digest(
        of objects: SealedObjects, transition: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        var bytes: [UInt8] = []
        for role in objects.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let object = objects[role] else { continue }
            bytes += BigEndian.bytes(role.rawValue) + LengthPrefixed.encode(object.public, object.private)
        }
        if !transition.isEmpty { bytes += BigEndian.bytes(UInt16.max) + LengthPrefixed.encode(transition) }
        return try SHA256.digest(bytes)
    }
}

/// A header with a valid MAC, and its bytes as the file has them.
struct AuthenticatedHeader: Sendable {
    let content: [UInt8]
    let mac: [UInt8]
    let header: Header
}
