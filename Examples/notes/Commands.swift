import ArgumentParser
import Coffer
import Foundation

extension Notes {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a note: its text is standard input.")

        @Argument(help: "The title. It is not secret.") var title: Title
        @Flag(inversion: .prefixedNo, help: "Whether to ask for you before the note is shown.")
        var `private`: Bool?
        @Flag(help: "Replace a note of this title. A private one stays private.") var replace = false

        func run() async throws {
            let store = NoteStore()
            if !replace, try await store.exists(title) { throw NoteExists() }
            let text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
            try await store.add(Note(text: text), title, isPrivate: `private` ?? NoteSettings().isPrivate)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the titles of all notes.")

        func run() async throws {
            for note in try await NoteStore().titles(sortedBy: NoteSettings().order) { print(note.title) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a note.")

        @Argument(help: "The title.") var title: Title

        func run() async throws { print(try await NoteStore().note(title).text, terminator: "") }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a note. An absent one is fine.")

        @Argument(help: "The title.") var title: Title

        func run() async throws { try await NoteStore().remove(title) }
    }

    struct Configure: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings", abstract: "Show the settings, or change them.")

        @Option(help: "How to sort the list: title or date.") var sort: SortOrder?
        @Flag(inversion: .prefixedNo, help: "Whether new notes are private.") var `private`: Bool?

        func run() async throws {
            let settings = NoteSettings()
            if let sort { settings.order = sort }
            if let `private` { settings.isPrivate = `private` }
            try await settings.save()
            print("sort: \(settings.order.rawValue)\nprivate: \(settings.isPrivate)")
        }
    }
}

struct NoteExists: Error, CustomStringConvertible {
    let description = "there is a note of this title; add --replace to replace it"
}
