import Authorization
import Cryptography
import Item
import JSON

/// What every sealed string of a vault is bound to, as associated data.
struct FormatContext: Sendable {
    /// The format of the sealed strings. It is 1 in files of every format so far.
    static let format: UInt16 = 1

    let vault: VaultID

    /// `LP(domain) ‖ LP(u16 format) ‖ LP(vault) ‖ LP(part)…`
    func bind(_ domain: String, _ parts: [UInt8]...) -> [UInt8] {
        LengthPrefixed.encode([Array(domain.utf8), BigEndian.bytes(Self.format), vault.bytes] + parts)
    }
}

/// What one version of an item is bound to, as associated data.
struct ItemContext: Sendable {
    let format: FormatContext
    let item: ItemID
    let version: UInt64
    let access: AccessControl

    func bind(_ domain: String, _ parts: [[UInt8]] = []) -> [UInt8] {
        format.bind(domain, item.bytes, BigEndian.bytes(version), access.encoded) + LengthPrefixed.encode(parts)
    }
}

/// Seals and opens an item's value and metadata.
extension ItemContext {
    func seal(value: SecretBytes, key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        try AESGCM.seal(
            Padding.add(value, upTo: SizeClass.value(value.count)), key: key, associatedData: bind("org.coffer.value"))
    }

    func open(value sealed: [UInt8], key: SecretBytes) throws(VaultError) -> SecretBytes {
        try Padding.remove(open(sealed, key, "org.coffer.value", "a value"), "a value", sizeClass: SizeClass.value)
    }

    func seal(metadata: Metadata, key: SecretBytes) throws(VaultError) -> [UInt8] {
        do throws(CryptographyError) {
            let content = try SecretBytes(copying: JSONWriter.bytes(of: metadata))
            return try AESGCM.seal(
                Padding.add(content, upTo: SizeClass.metadata(content.count)), key: key,
                associatedData: bind("org.coffer.metadata"))
        } catch { throw VaultError(error) }
    }

    func open(metadata sealed: [UInt8], key: SecretBytes) throws(VaultError) -> Metadata {
        try open(metadataText: sealed, key: key).metadata
    }

    /// - Returns: the metadata, and the text that was sealed.
    func open(
        metadataText sealed: [UInt8], key: SecretBytes
    ) throws(VaultError) -> (metadata: Metadata, text: [UInt8]) {
        let content = try Padding.remove(
            open(sealed, key, "org.coffer.metadata", "an item's metadata"), "an item's metadata",
            sizeClass: SizeClass.metadata)
        let text = content.withBytes { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            for place in bytes.indices { text.append(bytes[place]) }
            return text
        }
        return (try Metadata(text: text, from: 0), text)
    }

    private func open(
        _ sealed: [UInt8], _ key: SecretBytes, _ domain: String, _ what: String
    ) throws(VaultError) -> SecretBytes {
        do throws(CryptographyError) { return try AESGCM.open(sealed, key: key, associatedData: bind(domain)) } catch {
            if error.code == .authenticationFailed { throw .damaged("\(what) does not open", cause: error) }
            throw VaultError(error)
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
