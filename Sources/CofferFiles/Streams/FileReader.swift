import Coffer
import Cryptography
import Platform

/// A protected file that is being read. It stays the file that was opened, also if another one takes its place.
struct FileReader: ~Copyable, Sendable {
    private var source: OpenedFile
    private var opener: ContentOpener
    /// The size of the content in bytes, as the file's size has it.
    let contentSize: Int64
    let id: FileID

    init(_ file: consuming OpenedFile, key: SecretBytes, name: FileName) throws(KeychainError) {
        let contentKey = try Self.contentKey(key, id: file.id, name: name)
        contentSize = file.contentSize
        id = file.id
        opener = ContentOpener(key: contentKey)
        source = file
    }

    private static func contentKey(
        _ key: SecretBytes, id: FileID, name: FileName
    ) throws(KeychainError) -> SecretBytes {
        guard key.count == AESGCM.keyCount else { throw .damagedFile }
        return try FileFormat.contentKey(key, header: FileFormat.header(of: id), name: name)
    }

    /// - Returns: the next part of the content; nil behind the end, and then the file was whole.
    /// - Throws: `.damaged`, `.cancelled` if the task was cancelled, `.failed`.
    mutating func next() throws(KeychainError) -> [UInt8]? {
        guard !Task.isCancelled else { throw .cancelledTask }
        return try opener.next(from: &source)
    }
}

/// A file behind its header.
struct OpenedFile: ~Copyable, Sendable, ByteSource {
    private let file: SequentialFile
    let id: FileID
    let contentSize: Int64

    private init(_ file: consuming SequentialFile, id: FileID, contentSize: Int64) {
        self.file = file
        self.id = id
        self.contentSize = contentSize
    }

    /// - Parameter path: the file's path, for the words of an error.
    /// - Throws: `.notFound`, `.notPermitted` for a link, `.damaged`.
    static func open(
        _ name: String, in parent: borrowing ConfinedFolder, path: String
    ) throws(KeychainError) -> OpenedFile {
        let file = try filing(missing: .noFile(path)) { () throws(SystemError) in try parent.file(name) }
        let size = try filing { () throws(SystemError) in try file.entry().size }
        let bytes = try filing { () throws(SystemError) in try file.read(FileFormat.headerCount) }
        switch FileFormat.beginning(bytes) {
        case .file(let id):
            guard let contentSize = FileFormat.contentSize(ofFile: size) else { throw .damagedFile }
            return OpenedFile(file, id: id, contentSize: contentSize)
        case .foreign: throw .foreignFile(path)
        case .otherVersion(let version):
            throw KeychainError(
                .damaged, "\(path) has format \(version), which is not known here",
                advice: "read it with a newer version of Coffer")
        }
    }

    mutating func next(_ count: Int) throws(KeychainError) -> [UInt8] {
        do throws(SystemError) { return try file.read(count) } catch { throw KeychainError(file: error) }
    }
}
