import Coffer
import Cryptography

/// Version 1 of a protected file (docs/file-format.md). Sizes are in bytes.
enum FileFormat {
    static let version: UInt16 = 1
    static let headerCount = 32
    /// The content of every chunk but the last.
    static let chunkCount = 65_536
    static let sealedChunkCount = chunkCount + ChunkStream.overhead
    /// The most content that a file can have.
    static let largestContent = Int64(ChunkStream.mostChunks) * Int64(chunkCount)

    private static let magic = Array("coffer file\n".utf8)

    static func header(of id: FileID) -> [UInt8] {
        magic + [UInt8(version >> 8), UInt8(version & 0xFF), 0, 0] + id.bytes
    }

    /// What the beginning of a file says of it.
    enum Beginning: Sendable, Equatable {
        case file(FileID)
        /// A version that this library does not know.
        case otherVersion(UInt16)
        /// No protected file, or one that was cut inside the header.
        case foreign
    }

    /// - Parameter bytes: the first bytes of a file, at most ``headerCount``.
    static func beginning(_ bytes: [UInt8]) -> Beginning {
        guard bytes.count == headerCount, bytes.starts(with: magic) else { return .foreign }
        let version = UInt16(bytes[12]) << 8 | UInt16(bytes[13])
        guard version == Self.version else { return .otherVersion(version) }
        guard bytes[14] == 0, bytes[15] == 0, let id = FileID(bytes[16...]) else { return .foreign }
        return .file(id)
    }

    /// The size of the content, from the size of the file.
    /// - Returns: nil if no protected file has this size.
    static func contentSize(ofFile size: Int64) -> Int64? {
        guard size > headerCount else { return nil }
        let (full, rest) = (size - Int64(headerCount)).quotientAndRemainder(dividingBy: Int64(sealedChunkCount))
        let overhead = Int64(ChunkStream.overhead)
        guard rest == 0 || rest > overhead || (rest == overhead && full == 0) else { return nil }
        let content = full * Int64(chunkCount) + max(rest - overhead, 0)
        return content <= largestContent ? content : nil
    }

    /// The key of a file's chunks. It depends on every bit of the header and on the file's name.
    static func contentKey(
        _ fileKey: SecretBytes, header: [UInt8], name: FileName
    ) throws(KeychainError) -> SecretBytes {
        do throws(CryptographyError) {
            let digest = try SHA256.digest(prefixed(name.directory) + prefixed(name.path))
            return try HKDF.derive(
                fileKey, salt: header + digest, info: Array("org.coffer.file.content".utf8), count: AESGCM.keyCount)
        } catch {
            throw KeychainError(cryptography: error)
        }
    }

    /// The text behind its length.
    private static func prefixed(_ text: String) -> [UInt8] {
        let count = UInt32(clamping: text.utf8.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + Array(text.utf8)
    }
}

/// What a file is called: the kind of its directory, and its path there.
struct FileName: Sendable {
    let directory: String
    let path: String
}
