public import Coffer
import Platform

extension ProtectedFiles {
    /// Gives a file another name, in this directory. The file keeps its access control.
    ///
    /// The file's key depends on its name, so the content is read and written anew. Like renaming an item, this asks for what
    /// reading asks for. After a crash the file is under its old name, under both, or under the new one.
    ///
    /// ```swift
    /// try await files.move("notes/draft.json", to: "notes/final.json", reason: "Rename your note")
    /// ```
    /// - Throws: `.notFound`; `.alreadyExists` if there is a file of the new name; and the errors of reading and writing.
    public func move(
        _ path: String, to newPath: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) {
        let (from, to) = (try RelativePath(path), try RelativePath(newPath))
        if try entry(to) != nil { throw KeychainError(.alreadyExists, "there is a file \(newPath) already") }
        var reader = try await open(
            from, FileKeyRequest(reason: reason, applicationPassword: applicationPassword))
        guard let record = try await keys.record(of: reader.id) else {
            throw KeychainError(.changedMeanwhile, "\(path) was replaced or deleted meanwhile", advice: "try again")
        }
        var writer = try await writer(
            to: to, access: record.access, applicationPassword: applicationPassword, replaces: false)
        do throws(KeychainError) {
            while let part = try reader.next() { try await writer.write(part) }
        } catch {
            await writer.cancel()
            throw error
        }
        try await writer.finish()
        guard let root = try FileRoot.existing(place()) else { return }
        let state = try FolderState(in: root)
        let writers = try await state.lock(.writers, isShared: true)
        defer { writers.keep() }
        try await delete(from, root, state, only: reader.id, protection: .later)
    }
}
