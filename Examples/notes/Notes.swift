import ArgumentParser

/// Keeps notes that only their owner can read.
@main
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes",
        abstract: "Keep notes in encrypted files.",
        discussion: """
            Each note is a file under a key of its own, which is in your vault. A private note asks for you each time.
            The titles of notes are the names of files, and not secret.
            """,
        subcommands: [Add.self, List.self, Show.self, Remove.self, Configure.self])
}

/// The title of a note, which names its file.
struct Title: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty, !argument.contains("/"), argument != ".", argument != ".." else { return nil }
        text = argument
    }
}
