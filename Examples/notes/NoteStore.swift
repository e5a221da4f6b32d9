import Coffer
import CofferFiles
import Foundation

/// A note, as it is in its file.
struct Note: Codable { var text: String }

/// The notes of the user.
struct NoteStore {
    private let files = ProtectedFiles(service: NoteSettings.service, directory: .documents)

    private func path(_ title: Title) -> String { "notes/\(title.text).json" }

    /// Writes a note in place of a former one, which stays private if it was.
    func add(_ note: Note, _ title: Title, isPrivate: Bool) async throws(KeychainError) {
        let access = isPrivate ? AccessControl.whenUnlocked.requiring(.userPresence) : nil
        try await files.write(value: note, to: path(title), access: access)
    }

    /// - Throws: `.notFound`; and if the note is private, the errors of authentication.
    func note(_ title: Title) async throws(KeychainError) -> Note {
        try await files.read(path(title), as: Note.self, reason: "Show the note “\(title.text)”")
    }

    func remove(_ title: Title) async throws(KeychainError) { try await files.delete(path(title)) }

    func exists(_ title: Title) async throws(KeychainError) -> Bool { try await files.exists(path(title)) }

    /// The titles, with the times of the last changes. No note is opened.
    func titles(sortedBy order: SortOrder) async throws(KeychainError) -> [(title: String, modified: Date)] {
        try await files.createDirectory("notes")
        let found = try await files.list(in: "notes").map { file in
            (title: String(file.name.dropLast(".json".count)), modified: file.modified)
        }
        return switch order {
        case .title: found
        case .date: found.sorted { $0.modified > $1.modified }
        }
    }
}
