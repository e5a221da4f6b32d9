import Authorization
import Item

// Every limit of a vault, in bytes unless a line says otherwise (docs/vault-format.md; docs/broker-protocol.md, "Limits").
// What one item can have is in Sources/Item/ItemLimits.swift.

/// The size limits of one vault. They keep a list from filling everybody's memory, and a vault from filling the disk
/// (docs/broker-protocol.md, "Limits").
struct Room: Sendable {
    /// How many items.
    var items = UInt64(ItemLimits.items)
    /// All item records together, in bytes, without the values. A list is made from these.
    var records: Int64 = 16 << 20
    /// The used part of the file, in bytes.
    var file: Int64 = 1 << 30
    /// All records of former values together, in bytes, without the values.
    var former: Int64 = 16 << 20
    /// All that is kept of a circle, in bytes.
    var circle: Int64 = 192 << 20
    /// How much a device has given out in a circle, in bytes, before it looks whether the others need all of it.
    var given = 1 << 20
    /// In how many files.
    var givenFiles = 256
    /// Whether the bin stays even if the vault is full. A successor is filled with what its former vault has.
    var keepsBin = false
}

/// Limits on what a vault's file can make this process read. Nobody who can write the file may fill everybody's memory
/// with it.
enum DatabaseLimits {
    /// The longest row that Coffer writes, with room to spare. That is a value of 1 MiB with its padding, or names and
    /// attributes with every character escaped. In bytes, like all limits here.
    static let row = 4 << 20
    /// The file and its WAL, each: the limit of one vault, plus freed space in the file.
    static let file: Int64 = 2 << 30
    /// A file no longer than this may be searched without checking all its rows first.
    static let unchecked: Int64 = 32 << 20
    /// The names and texts of all tables: many times what a vault has.
    static let schema: Int64 = 64 << 10
    /// The sealed objects together: many times what they have.
    static let objects: Int64 = 1 << 20
    /// All that is read to list all items: twice what they may have.
    static let items: Int64 = 32 << 20
    /// The fields of all items, with their slots. A renewal and a complete check read them one by one.
    static let fields: Int64 = 192 << 20
    /// All that a vault keeps of a circle.
    static let circle: Int64 = 256 << 20
    /// All of a vault's index entries.
    static let postings: Int64 = 192 << 20
    /// SQLite's own memory for all vaults together, half of it for cached pages. It also bounds what SQLite allocates for
    /// a file that Coffer did not write.
    static let heap = 384 << 20
    /// One SQL statement. This is more than a page, and no statement of Coffer's is that long.
    static let statement: Int32 = 64 << 10
    /// A file that is copied: more than any vault's file has.
    static let copy: Int64 = 2 << 30
}

/// The access log beside a vault.
public enum AccessLogLimits {
    /// The largest size of a log. A full log drops its older half.
    static let size = 4 << 20
    /// The longest sealed record.
    static let record = 64 << 10
    /// How many logs that were not whole stay beside the present one: the first, and the newest of the others.
    static let damaged = 5
    /// How many records one answer has, unless a caller asks for another number.
    public static let answer = 500
}

/// What is written of a vault beside its items.
public enum VaultLimits {
    /// How many ways to its key a value has.
    static let slots = 8
    static let signatures = ItemLimits.signatures
    /// How many values of one field two or more machines can have set at the same time: the one that is shown, and
    /// eight others.
    static let conflicts = 9
    /// One group of a recovery code, in any spelling.
    public static let recoveryCodePart = 64
    /// The most boots that can be approved: the most branches that one policy can have (TPM 2.0 Library, Part 3, section
    /// 23.6).
    public static let boots = 8
    /// The most steps that the counter takes to get past a file that root accepts.
    static let stepsToAccept: UInt64 = 4096
    /// The note about a renewal, beside the vault: three records of the registry.
    static let note = 3 * Registry.longestRecord
    /// How long after an offer the registry may still name the successor although the broker has ended, in
    /// milliseconds. It is longer than an authenticator keeps trying.
    public static let decisionTime: Int64 = 20_000
}

/// What is kept in memory of what was verified, in bytes (docs/broker-protocol.md, "Limits"). All are rough sizes.
struct KeptLimits: Sendable {
    /// A vault's names and attributes: those of 10,000 items of the usual size. If there are more, a list reads the file.
    var names = 6 << 20
    /// A vault's items that were read or looked at, each with its sealed value.
    var items = 1 << 20
    /// A vault's index entries.
    var postings = 256 << 10
    /// What a vault has made of its circle: that of one with 10,000 items. A larger one is read anew for each call.
    var circle = 40 << 20
    /// The longest sealed value that is kept.
    var value = 4 << 10
    /// All vaults together.
    var all = 64 << 20
    /// The part of that for vaults that hold no more than `ensured`.
    var reserve = 16 << 20
    var ensured = 512 << 10
}
