import Coffer
import Cryptography
import Platform

/// Cuts content of any length into chunks, and seals them.
struct ContentSealer: ~Copyable, Sendable {
    private var chunks: ChunkStream.Sealer
    /// Content that is not sealed yet. It may be the last chunk, so even a full one waits for what follows.
    private var pending: [UInt8] = []

    init(key: SecretBytes) { chunks = ChunkStream.Sealer(key: key) }

    deinit { Wipe.storage(of: pending) }

    /// - Parameter output: takes the sealed chunks that are complete.
    mutating func seal(
        _ content: some Collection<UInt8>, output: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        var rest = content[...]
        while !rest.isEmpty {
            if pending.count == FileFormat.chunkCount { try output(try sealPending(isLast: false)) }
            let part = rest.prefix(FileFormat.chunkCount - pending.count)
            if pending.isEmpty { pending.reserveCapacity(min(FileFormat.chunkCount, rest.count)) }
            pending += part
            rest = rest.dropFirst(part.count)
        }
    }

    /// - Returns: the last chunk.
    mutating func finish() throws(KeychainError) -> [UInt8] { try sealPending(isLast: true) }

    private mutating func sealPending(isLast: Bool) throws(KeychainError) -> [UInt8] {
        defer {
            Wipe.bytes(&pending)
            pending.removeAll(keepingCapacity: true)
        }
        do throws(CryptographyError) { return try chunks.seal(pending, isLast: isLast) } catch {
            if error.code == .invalidLength {
                throw KeychainError(.limitExceeded, "a protected file has at most 256 TiB")
            }
            throw KeychainError(cryptography: error)
        }
    }
}
