import Coffer
import Cryptography
import Platform

/// A file that is being written, until it gets its name. If this value ends before that, the part file is removed, and a
/// sweep removes its key.
struct PartFile: ~Copyable, Sendable {
    private let root: FileRoot
    private let state: FolderState
    /// Keeps sweeps away.
    private let writers: FolderLock
    private let file: SequentialFile
    private let path: RelativePath
    let id: FileID
    private var sealer: ContentSealer
    private var hasFailed = false
    /// Whether the file has its name.
    private(set) var isPlaced = false

    /// - Parameter file: the new part file. From here on it is removed with this value.
    init(
        _ file: consuming SequentialFile, at path: RelativePath, in root: consuming FileRoot,
        _ state: consuming FolderState, writers: consuming FolderLock, id: FileID, key: SecretBytes
    ) {
        self.root = root
        self.state = state
        self.writers = writers
        self.file = file
        self.path = path
        self.id = id
        sealer = ContentSealer(key: key)
    }

    /// Makes the part file, with its header.
    /// - Parameter key: the file's key.
    static func make(
        at path: RelativePath, in root: consuming FileRoot, _ state: consuming FolderState,
        writers: consuming FolderLock, id: FileID, key: SecretBytes, name: FileName
    ) throws(KeychainError) -> PartFile {
        let header = FileFormat.header(of: id)
        let contentKey = try FileFormat.contentKey(key, header: header, name: name)
        let file = try filing { () throws(SystemError) in try state.folder.makeFile(FolderState.part(id)) }
        let made = PartFile(file, at: path, in: root, state, writers: writers, id: id, key: contentKey)
        try filing { () throws(SystemError) in try made.file.write(header) }
        return made
    }

    deinit {
        // Once the file has its name, there is nothing to remove. Otherwise the next sweep tries again.
        try? state.folder.remove(FolderState.part(id))
    }

    mutating func write(_ content: some Collection<UInt8>) throws(KeychainError) {
        guard !hasFailed else {
            throw KeychainError(.failed, "an earlier part of the file could not be written", advice: "begin again")
        }
        hasFailed = true
        let number = file.number
        try sealer.seal(content) { (chunk) throws(KeychainError) in
            do throws(SystemError) { try FileBytes.write(chunk, to: number, named: "the file") } catch {
                throw KeychainError(file: error)
            }
        }
        hasFailed = false
    }

    /// Gives the whole file its name.
    /// - Parameter replaces: whether it may take the place of another protected file.
    /// - Returns: the id of the file that it replaced.
    mutating func commit(replaces: Bool) async throws(KeychainError) -> FileID? {
        try write([])
        hasFailed = true
        let number = file.number
        let last = try sealer.finish()
        do throws(SystemError) { try file.write(last) } catch { throw KeychainError(file: error) }
        try await BlockingCall.run { () throws(SystemError) in try FileBytes.sync(number, named: "the file") }
        guard !Task.isCancelled else { throw .cancelledTask }
        let names = try await state.lock(.names)
        defer { names.keep() }
        return try place(replaces: replaces)
    }

    /// Marks the last point that needs the part file and its share of the lock.
    borrowing func keep() {}

    private mutating func place(replaces: Bool) throws(KeychainError) -> FileID? {
        let parent = try filing { () throws(SystemError) in try root.parent(of: path, making: true) }
        let beginning = try filing { () throws(SystemError) in try FileRoot.beginning(of: path.last, in: parent) }
        let former: FileID?
        switch beginning {
        case nil: former = nil
        case .file(let id) where replaces: former = id
        case .file: throw KeychainError(.alreadyExists, "there is a file \(path.text) already")
        case .foreign, .otherVersion: throw .foreignFile(path.text)
        }
        try filing { () throws(SystemError) in
            try state.folder.rename(FolderState.part(id), to: parent, path.last)
        }
        isPlaced = true
        try filing { () throws(SystemError) in try parent.sync() }
        return former
    }
}
