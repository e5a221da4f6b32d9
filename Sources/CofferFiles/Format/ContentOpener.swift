import Coffer
import Cryptography

/// Where sealed bytes come from.
protocol ByteSource: ~Copyable {
    /// Reads on.
    /// - Returns: `count` bytes, or fewer if the end comes first.
    mutating func next(_ count: Int) throws(KeychainError) -> [UInt8]
}

/// Opens the chunks of one file in their order. What it gives is authentic. It is whole once ``next(from:)`` has given nil.
struct ContentOpener: ~Copyable, Sendable {
    private var chunks: ChunkStream.Opener
    /// The chunk to open next. Whether it is the last one depends on what follows it.
    private var ahead: [UInt8]?
    private var state = State.ready

    private enum State {
        case ready, finished, failed
    }

    init(key: SecretBytes) { chunks = ChunkStream.Opener(key: key) }

    /// - Returns: the content of the next chunk; nil behind the last one.
    /// - Throws: `.damaged` if the file is not what was written, and again at each further call.
    mutating func next(from source: inout some ByteSource & ~Copyable) throws(KeychainError) -> [UInt8]? {
        switch state {
        case .finished: return nil
        case .failed: throw .damagedFile
        case .ready: break
        }
        // If anything fails here, nothing more is given.
        state = .failed
        let sealed: [UInt8]
        if let ahead { sealed = ahead } else { sealed = try source.next(FileFormat.sealedChunkCount) }
        let following =
            sealed.count == FileFormat.sealedChunkCount ? try source.next(FileFormat.sealedChunkCount) : []
        let isLast = following.isEmpty
        // Only the chunk of an empty file is empty.
        guard sealed.count > ChunkStream.overhead || ahead == nil else { throw .damagedFile }
        let content: [UInt8]
        do throws(CryptographyError) { content = try chunks.open(sealed, isLast: isLast) } catch {
            switch error.code {
            case .authenticationFailed, .invalidLength: throw .damagedFile
            default: throw KeychainError(cryptography: error)
            }
        }
        ahead = following
        state = isLast ? .finished : .ready
        if isLast, content.isEmpty { return nil }
        return content
    }
}
