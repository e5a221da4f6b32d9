public import Coffer
public import FoundationEssentials
import Platform

/// What can be seen of a protected file or folder without reading it. It is not secret, and not authenticated.
///
/// ```swift
/// for file in try await files.list() where !file.isFolder { print(file.path, file.size) }
/// ```
public struct ProtectedFileInfo: Sendable, Hashable {
    /// The path in the directory: `notes/today.json`.
    public let path: String
    /// Whether it is a folder.
    public let isFolder: Bool
    /// The size of the content in bytes, computed from the size of the file; 0 for a folder.
    public let size: Int64
    /// When the file was last written, or a name in the folder was given or removed.
    public let modified: Date

    /// The last part of the path: `today.json`.
    public var name: String { path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path }

    init(path: String, entry: FileEntry) {
        self.path = path
        isFolder = entry.kind == .folder
        size = isFolder ? 0 : FileFormat.contentSize(ofFile: entry.size) ?? 0
        modified = Date(
            timeIntervalSince1970: Double(entry.modified.seconds) + Double(entry.modified.nanoseconds) / 1e9)
    }
}

/// Looking at files. Nothing here asks a person or needs the vault.
extension ProtectedFiles {
    /// The files and folders in a folder, sorted by path. Links and other things that cannot be protected files are left
    /// out. So are names that are not UTF-8.
    ///
    /// ```swift
    /// for file in try await files.list(in: "notes") where !file.isFolder { print(file.name, file.size) }
    /// ```
    /// - Parameters:
    ///   - folder: empty for the directory itself.
    ///   - recursively: whether to list what is in folders below, too.
    /// - Throws: `.notFound` if there is no such folder. A directory that was never written to is empty.
    public func list(
        in folder: String = "", recursively: Bool = false
    ) async throws(KeychainError) -> [ProtectedFileInfo] {
        let names = try RelativePath.folder(folder)
        guard let root = try FileRoot.existing(place()) else {
            if names.isEmpty { return [] }
            throw Self.noFolder(folder)
        }
        var found: [ProtectedFileInfo] = []
        do throws(SystemError) {
            try Self.visit(try root.folder(names), path: names, recursively: recursively) {
                (path, entry) throws(SystemError) in found.append(ProtectedFileInfo(path: path, entry: entry))
            }
        } catch {
            throw error.isAbsent ? Self.noFolder(folder) : KeychainError(file: error)
        }
        return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Whether there is a file of this name. A folder does not count.
    ///
    /// ```swift
    /// if try await files.exists("notes/today.json") { show("notes/today.json") }
    /// ```
    public func exists(_ path: String) async throws(KeychainError) -> Bool {
        try entry(try RelativePath(path))?.kind == .file
    }

    /// What can be seen of a file or folder.
    ///
    /// ```swift
    /// let age = Date.now.timeIntervalSince(try await files.info(of: "notes/today.json").modified)
    /// ```
    /// - Throws: `.notFound`.
    public func info(of path: String) async throws(KeychainError) -> ProtectedFileInfo {
        let checked = try RelativePath(path)
        guard let entry = try entry(checked), entry.kind == .file || entry.kind == .folder else { throw .noFile(path) }
        return ProtectedFileInfo(path: checked.text, entry: entry)
    }

    /// The size of a file's content, in bytes.
    ///
    /// ```swift
    /// let bytes = try await files.size(of: "backup.tar")
    /// ```
    /// - Throws: `.notFound`; `.damaged` if no protected file has the size that this one has.
    public func size(of path: String) async throws(KeychainError) -> Int64 {
        guard let entry = try entry(try RelativePath(path)), entry.kind == .file else { throw .noFile(path) }
        guard let size = FileFormat.contentSize(ofFile: entry.size) else { throw .damagedFile }
        return size
    }

    /// When a file was last written.
    ///
    /// ```swift
    /// let date = try await files.modified(of: "backup.tar")
    /// ```
    /// - Throws: `.notFound`.
    public func modified(of path: String) async throws(KeychainError) -> Date { try await info(of: path).modified }

    /// The size of the content of all files in a folder and in the folders below, in bytes.
    ///
    /// ```swift
    /// if try await caches.directorySize() > 100 << 20 { try await caches.deleteAll() }
    /// ```
    /// - Parameter folder: empty for the directory itself.
    public func directorySize(in folder: String = "") async throws(KeychainError) -> Int64 {
        try await list(in: folder, recursively: true).reduce(0) { sum, file in
            let (total, overflow) = sum.addingReportingOverflow(file.size)
            return overflow ? .max : total
        }
    }

    /// - Returns: nil if nothing has this name.
    func entry(_ path: RelativePath) throws(KeychainError) -> FileEntry? {
        guard let root = try FileRoot.existing(place()) else { return nil }
        do throws(SystemError) { return try root.parent(of: path).entry(path.last) } catch {
            if error.isAbsent { return nil }
            throw KeychainError(file: error)
        }
    }

    /// Visits what a folder holds, without the library's own folder.
    static func visit(
        _ folder: borrowing ConfinedFolder, path: [String], recursively: Bool,
        _ body: (String, FileEntry) throws(SystemError) -> Void
    ) throws(SystemError) {
        for name in try folder.names() where !(path.isEmpty && name == RelativePath.reserved) {
            // It may have gone since the folder was listed.
            guard let entry = try folder.entry(name), entry.kind == .file || entry.kind == .folder else { continue }
            let below = path + [name]
            try body(below.joined(separator: "/"), entry)
            guard recursively, entry.kind == .folder, below.count < RelativePath.Limits.depth else { continue }
            // Somebody may have removed it meanwhile.
            guard let inner = try folder.folderUnlessMissing(name) else { continue }
            try visit(inner, path: below, recursively: true, body)
        }
    }

    static func noFolder(_ path: String) -> KeychainError {
        KeychainError(.notFound, "there is no folder \(path)")
    }
}
