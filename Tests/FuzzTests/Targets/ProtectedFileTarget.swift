import Coffer
import Cryptography
import Platform

@testable import CofferFiles

/// Protected files, changed by somebody who has no key: headers, and chunks in any order.
struct ProtectedFileTarget: FuzzTarget {
    private let name = FileName(directory: "documents", path: "notes/a")
    private let key: SecretBytes
    private let files: [(content: [UInt8], file: [UInt8])]

    private struct Bytes: ByteSource {
        var rest: ArraySlice<UInt8>

        mutating func next(_ count: Int) throws(KeychainError) -> [UInt8] {
            let part = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            return part
        }
    }

    init() async throws {
        key = try SecretBytes.random(count: 32)
        files = try [0, 1, 100, 65_536, 65_537, 140_000].map { [key, name] count in
            let content = try Random.bytes(count)
            let header = FileFormat.header(of: try FileID.random())
            var sealer = ContentSealer(key: try FileFormat.contentKey(key, header: header, name: name))
            var file = header
            try sealer.seal(content) { file += $0 }
            return (content, file + (try sealer.finish()))
        }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        guard let (content, file) = mutator.pick(files) else { return }
        let bytes = changed(file, &mutator)
        _ = FileFormat.contentSize(ofFile: Int64(truncatingIfNeeded: mutator.next()))
        let header = Array(bytes.prefix(FileFormat.headerCount))
        guard case .file = FileFormat.beginning(header) else { return }
        var opener = ContentOpener(key: try FileFormat.contentKey(key, header: header, name: name))
        var source = Bytes(rest: bytes.dropFirst(FileFormat.headerCount))
        var given: [UInt8] = []
        do throws(KeychainError) {
            while let part = try opener.next(from: &source) { given += part }
        } catch {
            try promise(error.code == .damaged, "an error \(error)")
            try promise(content.starts(with: given), "content that nobody wrote")
            return
        }
        try promise(bytes == file && given == content, "a changed file as whole")
    }

    /// Chunks are exchanged as a whole, or anything is changed.
    private func changed(_ file: [UInt8], _ mutator: inout Mutator) -> [UInt8] {
        guard mutator.chance(3) else { return mutator.bytes(file, donors: files.map(\.file)) }
        let start = FileFormat.headerCount
        var chunks = stride(from: start, to: file.count, by: FileFormat.sealedChunkCount).map {
            Array(file[$0..<min($0 + FileFormat.sealedChunkCount, file.count)])
        }
        for _ in 0...mutator.below(3) {
            let (from, to) = (mutator.below(chunks.count), mutator.below(chunks.count + 1))
            guard let chunk = chunks.isEmpty ? nil : chunks[from] else { continue }
            if mutator.chance(2) { chunks.remove(at: from) }
            chunks.insert(chunk, at: min(to, chunks.count))
        }
        return Array(file.prefix(start)) + chunks.joined()
    }
}
