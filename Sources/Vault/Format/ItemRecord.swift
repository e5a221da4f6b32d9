import Authorization
import Cryptography
import Item
import JSON

/// The `record` column of an item (docs/vault-format.md, "item"). It has what a list needs.
struct ItemRecord: Sendable, Equatable {
    /// Counts the item's values, from 1.
    let version: UInt64
    let access: AccessControl
    let sealedMetadata: [UInt8]
    /// SHA-256 of the item's row in the table `field`.
    let fieldsDigest: [UInt8]

    init(version: UInt64, access: AccessControl, sealedMetadata: [UInt8], fieldsDigest: [UInt8]) {
        self.version = version
        self.access = access
        self.sealedMetadata = sealedMetadata
        self.fieldsDigest = fieldsDigest
    }

    var encoded: [UInt8] {
        BigEndian.bytes(version) + access.encoded + LengthPrefixed.encode(sealedMetadata) + fieldsDigest
    }

    /// The length of the record of an item that says this of itself, in bytes.
    static func length(of metadata: Metadata) -> Int {
        8 + AccessControl.encodedCount + 4 + SizeClass.metadata(JSONWriter.bytes(of: metadata).count)
            + AESGCM.overhead + SHA256.count
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an item")
        version = try reader.integer()
        let access = try reader.bytes(AccessControl.encodedCount)
        do throws(AccessControlError) { self.access = try AccessControl(decoding: access) } catch {
            throw .damaged("an item has an unknown access control")
        }
        sealedMetadata = try reader.prefixed()
        fieldsDigest = try reader.bytes(SHA256.count)
        guard version > 0 else { throw .damaged("an item has impossible numbers") }
        try reader.end()
    }
}

/// `u32 length ‖ content ‖ zeros`
enum Padding {
    static func add(_ content: SecretBytes, upTo count: Int) throws(CryptographyError) -> SecretBytes {
        try .concatenating([
            SecretBytes(copying: BigEndian.bytes(UInt32(content.count))), content,
            .zeros(count: count - content.count - 4),
        ])
    }

    /// Removes the padding if it is exactly what `sizeClass` demands.
    static func remove(
        _ plain: SecretBytes, _ what: String, sizeClass: (Int) -> Int
    ) throws(VaultError) -> SecretBytes {
        let length = plain.withBytes { bytes in
            bytes.count < 4 ? nil : (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        }
        guard let length, length <= plain.count - 4, sizeClass(length) == plain.count else {
            throw .damaged("\(what) has the wrong length")
        }
        do throws(CryptographyError) {
            let padding = try plain.slice(4 + length..<plain.count)
            guard padding == (try .zeros(count: padding.count)) else {
                throw CryptographyError(code: .invalidLength, reason: "padding is not zero")
            }
            return try plain.slice(4..<4 + length)
        } catch {
            if error.code == .invalidLength { throw .damaged("\(what) is padded wrongly", cause: error) }
            throw VaultError(error)
        }
    }
}

/// The padded lengths of plain text. Padding hides most of the real length.
enum SizeClass {
    /// The padded length of a value of `count` bytes with its length prefix.
    static func value(_ count: Int) -> Int { PaddedLength.of(count) }

    /// The padded length of metadata: the next multiple of 256.
    static func metadata(_ count: Int) -> Int { (count + 4 + 255) / 256 * 256 }

    /// The padded length of stamps: the next multiple of 64. They name attributes, and their number tells how many parts
    /// were changed.
    static func stamps(_ count: Int) -> Int { (count + 4 + 63) / 64 * 64 }
}
