import Coffer
import Cryptography
import Testing

@testable import CofferFiles

/// Sealed content in memory.
struct SealedBytes: ByteSource {
    static let key = [UInt8](0..<32)
    static let id = FileID([UInt8](0xF0...0xFF))

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    mutating func next(_ count: Int) throws(KeychainError) -> [UInt8] {
        let part = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return part
    }

    /// A whole file.
    static func seal(
        _ content: [UInt8], key: [UInt8] = key, name: FileName, partsOf count: Int = 1000
    ) throws -> [UInt8] {
        var file = FileFormat.header(of: id!)
        let secret = try SecretBytes(copying: key)
        var sealer = ContentSealer(key: try FileFormat.contentKey(secret, header: file, name: name))
        var start = 0
        while start < content.count {
            let end = min(start + count, content.count)
            try sealer.seal(content[start..<end]) { file += $0 }
            start = end
        }
        return file + (try sealer.finish())
    }

    /// What a reader gives before it ends or fails.
    struct Outcome: Equatable {
        var content: [UInt8] = []
        /// Whether the reader says that this was all.
        var isWhole = false
    }

    static func open(_ file: [UInt8], key: [UInt8] = key, name: FileName) throws -> Outcome {
        let header = Array(file.prefix(FileFormat.headerCount))
        guard case .file = FileFormat.beginning(header) else { return Outcome() }
        let secret = try SecretBytes(copying: key)
        var opener = ContentOpener(key: try FileFormat.contentKey(secret, header: header, name: name))
        var source = SealedBytes(file.dropFirst(FileFormat.headerCount))
        var outcome = Outcome()
        do throws(KeychainError) {
            while let part = try opener.next(from: &source) { outcome.content += part }
            outcome.isWhole = true
        } catch {
            guard error.code == .damaged else { throw error }
            // Once it has failed, it gives nothing more, and does not say that this was all.
            do throws(KeychainError) {
                if let again = try opener.next(from: &source) {
                    outcome.content += again
                } else {
                    outcome.isWhole = true
                }
            } catch { #expect(error.code == .damaged) }
        }
        return outcome
    }
}
