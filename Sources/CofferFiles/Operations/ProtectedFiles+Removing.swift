public import Coffer
import Glibc
import Platform

extension ProtectedFiles {
    /// Deletes a file and its key. An absent file is fine. Nobody is asked. Once the key is gone, no copy of the file opens.
    ///
    /// ```swift
    /// try await files.delete("notes/today.json")
    /// ```
    /// - Throws: `.invalidArgument` for a folder; `.notPermitted`; and the errors of deleting an item. If only the key could
    ///   not be deleted, the file is gone, and a later ``sweep()`` deletes the key.
    public func delete(_ path: String) async throws(KeychainError) { try await delete([path]) }

    /// Deletes several files and their keys, as ``delete(_:)-(String)`` deletes one. The keys of up to 128 files are deleted in one transaction.
    ///
    /// ```swift
    /// try await files.delete(["notes/today.json", "notes/yesterday.json"])
    /// ```
    /// - Throws: the error of the first file that could not be deleted. The files before it are gone.
    public func delete(_ paths: [String]) async throws(KeychainError) { try await delete(paths, protection: .soon) }

    func delete(_ paths: [String], protection: RollbackProtection) async throws(KeychainError) {
        var relative: [RelativePath] = []
        for path in paths { relative.append(try RelativePath(path)) }
        guard !relative.isEmpty, let root = try FileRoot.existing(place()) else { return }
        let state = try FolderState(in: root)
        let writers = try await state.lock(.writers, isShared: true)
        defer { writers.keep() }
        try await delete(relative.map { ($0, nil) }, root, state, protection: protection)
    }

    /// - Parameter only: leaves the file alone if it has another id.
    func delete(
        _ path: RelativePath, _ root: borrowing FileRoot, _ state: borrowing FolderState, only: FileID?,
        protection: RollbackProtection = .soon
    ) async throws(KeychainError) {
        try await delete([(path, only)], root, state, protection: protection)
    }

    /// - Parameter files: each with the id that it must have; nil for any.
    private func delete(
        _ files: [(path: RelativePath, only: FileID?)], _ root: borrowing FileRoot, _ state: borrowing FolderState,
        protection: RollbackProtection
    ) async throws(KeychainError) {
        var ids: [FileID] = []
        var failure: KeychainError?
        for file in files {
            do throws(KeychainError) {
                if let id = try await unlink(file.path, root, state, only: file.only) { ids.append(id) }
            } catch {
                failure = error
                break
            }
        }
        // Also of the files before one that could not be deleted.
        try await keys.delete(ids, protection: protection)
        if let failure { throw failure }
    }

    /// - Returns: the id of the file that was removed.
    private func unlink(
        _ path: RelativePath, _ root: borrowing FileRoot, _ state: borrowing FolderState, only: FileID?
    ) async throws(KeychainError) -> FileID? {
        let names = try await state.lock(.names)
        defer { names.keep() }
        do throws(SystemError) {
            let parent = try root.parent(of: path)
            guard let entry = try parent.entry(path.last) else { return nil }
            guard entry.kind != .folder else { throw SystemError("delete \(path.text)", errno: EISDIR) }
            var id: FileID?
            if case .file(let found)? = try FileRoot.beginning(of: path.last, in: parent) { id = found }
            if let only, id != only { return nil }
            try parent.remove(path.last)
            try parent.sync()
            return id
        } catch {
            if error.isAbsent { return nil }
            throw KeychainError(file: error)
        }
    }

    /// Makes a folder, and those above it. One that exists is fine. Writing a file makes its folders by itself.
    ///
    /// ```swift
    /// try await files.createDirectory("notes/2026")
    /// ```
    public func createDirectory(_ path: String) async throws(KeychainError) {
        let names = try RelativePath(path).names
        let root = try FileRoot.making(place())
        _ = try filing { () throws(SystemError) in try root.folder(names, making: true) }
    }

    /// Removes a folder. An absent one is fine.
    ///
    /// ```swift
    /// try await files.removeDirectory("notes/2025", recursively: true)
    /// ```
    /// - Parameter recursively: whether to delete the protected files in it, with their keys. Otherwise it must be empty.
    /// - Throws: `.failed` if the folder is not empty, or holds something that is no protected file. That is never removed.
    public func removeDirectory(_ path: String, recursively: Bool = false) async throws(KeychainError) {
        let path = try RelativePath(path)
        guard let root = try FileRoot.existing(place()) else { return }
        if recursively { try await empty(path.names, root) }
        do throws(SystemError) {
            let parent = try root.parent(of: path)
            let kind = try parent.entry(path.last)?.kind
            // A file of this name stays: it is no folder, so the folder is absent.
            if kind == .file { return }
            // What a link leads to may be a folder, and stays.
            if kind == .link { throw SystemError("remove the folder \(path.text)", errno: ELOOP) }
            try parent.removeFolder(path.last)
            try parent.sync()
        } catch {
            if error.isAbsent { return }
            throw KeychainError(file: error)
        }
    }

    /// Deletes all protected files of the directory, with their keys and folders. What is no protected file stays.
    ///
    /// ```swift
    /// try await ProtectedFiles(service: "com.example.notes", directory: .caches).deleteAll()
    /// ```
    public func deleteAll() async throws(KeychainError) {
        guard let root = try FileRoot.existing(place()) else { return }
        try await empty([], root)
        // Keys of files that others removed are of no more use.
        _ = try await sweep(olderThan: .zero)
    }

    /// Deletes the files in a folder, and the folders in it that are empty then.
    private func empty(_ names: [String], _ root: borrowing FileRoot) async throws(KeychainError) {
        let state = try FolderState(in: root)
        let writers = try await state.lock(.writers, isShared: true)
        defer { writers.keep() }
        var files: [String] = []
        var folders: [String] = []
        do throws(SystemError) {
            try Self.visit(try root.folder(names), path: names, recursively: true) {
                (path, entry) throws(SystemError) in
                if entry.kind == .folder { folders.append(path) } else { files.append(path) }
            }
        } catch {
            if error.isAbsent { return }
            throw KeychainError(file: error)
        }
        var found: [(path: RelativePath, only: FileID?)] = []
        for file in files {
            let path = try RelativePath(file)
            let beginning = try filing { () throws(SystemError) in
                try FileRoot.beginning(of: path.last, in: try root.parent(of: path))
            }
            guard case .file(let id)? = beginning else { continue }
            found.append((path, id))
        }
        try await delete(found, root, state, protection: .soon)
        // The deepest come last in the visit.
        for folder in folders.reversed() {
            let path = try RelativePath(folder)
            do throws(SystemError) { try root.parent(of: path).removeFolder(path.last) } catch {
                // It holds something else, or somebody wrote to it meanwhile.
                guard error.errno == ENOTEMPTY || error.errno == EEXIST || error.isMissing else {
                    throw KeychainError(file: error)
                }
            }
        }
    }
}

extension ProtectedFiles: ServiceData {
    /// Deletes all files of this directory, and their keys, for any service.
    public func deleteEverything(of service: String) async throws { try await deleteAll() }
}
