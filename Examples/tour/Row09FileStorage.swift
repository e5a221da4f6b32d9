import Coffer
import CofferFiles
import Foundation

struct Note: Codable, Equatable {
    var title: String
    var text: String
}

struct Row09FileStorage: Row {
    let number = 9
    let title = "File storage"

    func run(_ stage: TourRow) async throws {
        let documents = ProtectedFiles(keychain: stage.keychain, directory: .documents)
        let note = Note(title: "Today", text: "The spare key is under the third stone")
        let image = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        try await stage.verb("Codable values and bytes in named directories") {
            for directory in [ProtectedDirectory.documents, .support, .caches, .temporary] {
                let files = ProtectedFiles(keychain: stage.keychain, directory: directory)
                try await files.write(value: note, to: "notes/today.json")
                try expectEqual(try await files.read("notes/today.json", as: Note.self), note)
                try await files.write([1, 2, 3], to: "raw")
                try expectEqual(try await files.read("raw"), [1, 2, 3])
            }
        }
        try await stage.verb("a write is atomic: one that is given up leaves the former file") {
            var writer = try await documents.writer(to: "notes/today.json")
            try await writer.write(Array("half of".utf8))
            await writer.cancel()
            try expectEqual(try await documents.read("notes/today.json", as: Note.self), note)
        }
        try await stage.verb("list, size and date") {
            try expectEqual(try await documents.list(in: "notes").map(\.name), ["today.json"])
            try expectEqual(try await documents.size(of: "raw"), 3)
            let age = Date.now.timeIntervalSince(try await documents.modified(of: "raw"))
            try expect(abs(age) < 3600)
        }
        try await stage.verb("delete; an absent file is fine") {
            try await documents.delete("raw")
            try await documents.delete("raw")
            try expect(try await !documents.exists("raw"))
            try await expectError(.notFound) { _ = try await documents.read("raw") }
        }
        try await stage.verb("notes that ask for the person") {
            let secret = Note(title: "Secret", text: "42")
            try await documents.write(
                value: secret, to: "notes/secret.json", access: .whenUnlocked.requiring(.userPresence))
            _ = stage.person.takeShown()
            let read = try await documents.read("notes/secret.json", as: Note.self, reason: "Show your note")
            try expectEqual(read, secret)
            let shown = stage.person.takeShown()
            try expectEqual(shown.questions, 1)
            try expect(shown.text.contains("Show your note"))
        }
        try await stage.verb("images, as a stream in bounded memory") {
            let parts = AsyncStream<ArraySlice<UInt8>> { continuation in
                for start in stride(from: 0, to: image.count, by: 7777) {
                    continuation.yield(image[start..<min(start + 7777, image.count)])
                }
                continuation.finish()
            }
            try await documents.write(from: parts, to: "pictures/profile.png")
            var read: [UInt8] = []
            for try await part in documents.chunks(of: "pictures/profile.png") { read += part }
            try expect(read == image)
        }
        try await stage.verb("create and remove directories, and their size") {
            try await documents.createDirectory("albums/2026")
            try expect(try await documents.info(of: "albums/2026").isFolder)
            try expectEqual(try await documents.directorySize(in: "pictures"), Int64(image.count))
            try await expectError(.failed) { try await documents.removeDirectory("pictures") }
            try await documents.removeDirectory("pictures", recursively: true)
            try await documents.removeDirectory("albums", recursively: true)
            try expectEqual(try await documents.list().map(\.path), ["notes"])
        }
    }
}
