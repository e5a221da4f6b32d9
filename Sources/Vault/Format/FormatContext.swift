import Authorization
import Cryptography
import Item
import JSON

/// What the sealed strings of a vault are bound to, as associated data.
struct FormatContext: Sendable {
    /// The format of what is sealed this way: all but items, which format 3 seals in another way.
    static let format: UInt16 = 1

    let vault: VaultID

    /// `LP(domain) ‖ LP(u16 format) ‖ LP(vault) ‖ LP(part)…`
    func bind(_ domain: String, _ parts: [UInt8]...) -> [UInt8] {
        LengthPrefixed.encode([Array(domain.utf8), BigEndian.bytes(Self.format), vault.bytes] + parts)
    }
}

/// What an item's metadata and stamps are bound to, as associated data.
struct ItemContext: Sendable {
    /// The format of these strings since files have format 3.
    private static let format: UInt16 = 3

    let vault: VaultID
    let item: ItemID

    func seal(_ metadata: Metadata, access: AccessControl, key: SecretBytes) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in
            let content = try SecretBytes(copying: JSONWriter.bytes(of: metadata))
            return try AESGCM.seal(
                Padding.add(content, upTo: SizeClass.metadata(content.count)), key: key, associatedData: bound(access))
        }
    }

    func open(metadata sealed: [UInt8], access: AccessControl, key: SecretBytes) throws(VaultError) -> Metadata {
        try Metadata(text: open(metadataText: sealed, access: access, key: key), from: 0)
    }

    /// - Returns: the text that was sealed.
    func open(metadataText sealed: [UInt8], access: AccessControl, key: SecretBytes) throws(VaultError) -> [UInt8] {
        try Self.open(sealed, bound(access), key, "an item's metadata")
    }

    /// The part of a former value's metadata that stays.
    func seal(heading: Metadata, of revision: RevisionID, key: SecretBytes) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in
            let content = try SecretBytes(copying: JSONWriter.bytes(of: heading))
            return try AESGCM.seal(
                Padding.add(content, upTo: SizeClass.metadata(content.count)), key: key,
                associatedData: bind("org.coffer.heading", revision.bytes))
        }
    }

    func open(heading sealed: [UInt8], of revision: RevisionID, key: SecretBytes) throws(VaultError) -> Metadata {
        let bound = bind("org.coffer.heading", revision.bytes)
        return try Metadata(text: Self.open(sealed, bound, key, "a former value's heading"), from: 0)
    }

    func seal(_ stamps: ItemStamps, key: SecretBytes) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in
            let content = try SecretBytes(copying: stamps.encoded)
            return try AESGCM.seal(
                Padding.add(content, upTo: SizeClass.stamps(content.count)), key: key,
                associatedData: bind("org.coffer.stamps"))
        }
    }

    func open(stamps sealed: [UInt8], key: SecretBytes) throws(VaultError) -> ItemStamps {
        try ItemStamps(
            decoding: Self.open(
                sealed, bind("org.coffer.stamps"), key, "an item's stamps", sizeClass: SizeClass.stamps))
    }

    private func bound(_ access: AccessControl) -> [UInt8] { bind("org.coffer.metadata", access.encoded) }

    private func bind(_ domain: String, _ parts: [UInt8]...) -> [UInt8] {
        LengthPrefixed.encode([Array(domain.utf8), BigEndian.bytes(Self.format), vault.bytes, item.bytes] + parts)
    }

    /// Opens what is padded, as metadata is unless another size class is named.
    static func open(
        _ sealed: [UInt8], _ bound: [UInt8], _ key: SecretBytes, _ what: String,
        sizeClass: (Int) -> Int = SizeClass.metadata
    ) throws(VaultError) -> [UInt8] {
        let padded: SecretBytes
        do throws(CryptographyError) { padded = try AESGCM.open(sealed, key: key, associatedData: bound) } catch {
            if error.code == .authenticationFailed { throw .damaged("\(what) does not open", cause: error) }
            throw VaultError(error)
        }
        return try Padding.remove(padded, what, sizeClass: sizeClass).copied
    }
}

extension SecretBytes {
    /// The bytes in ordinary memory, for what is no secret once the vault is open.
    fileprivate var copied: [UInt8] {
        withBytes { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            for place in bytes.indices { text.append(bytes[place]) }
            return text
        }
    }
}

/// Reads the format's integers and lengths, and never reads past the end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    /// Names what is being read, for the error message.
    private let what: String

    init(_ bytes: [UInt8], _ what: String) {
        rest = bytes[...]
        self.what = what
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(VaultError) -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw .damaged("\(what) is cut off") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<Integer: FixedWidthInteger & UnsignedInteger>(
        _: Integer.Type = Integer.self
    ) throws(VaultError) -> Integer {
        try bytes(Integer.bitWidth / 8).reduce(0 as Integer) { ($0 &<< 8) | Integer($1) }
    }

    /// `LP(x)`. With a count, any other length is an error.
    mutating func prefixed(_ count: Int? = nil) throws(VaultError) -> [UInt8] {
        let length = Int(try integer(UInt32.self))
        guard count == nil || count == length else { throw .damaged("\(what) has a part of the wrong length") }
        return try bytes(length)
    }

    func end() throws(VaultError) {
        guard rest.isEmpty else { throw .damaged("\(what) is too long") }
    }
}
