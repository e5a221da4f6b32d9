import Coffer

/// Quotes arguments so that they can be pasted into a shell.
enum ShellText {
    static func command(_ words: [String?]) -> String { words.compactMap { $0 }.map(quote).joined(separator: " ") }

    /// A command about an item. A name that begins with a dash comes after `--`, so that it is not read as an option.
    static func command(_ verb: String, _ service: String, _ account: String?, _ options: [String])
        -> String
    {
        let names = [service] + [account].compactMap { $0 }
        return names.contains { $0.hasPrefix("-") }
            ? command(["coffer", verb] + options + ["--"] + names)
            : command(["coffer", verb] + names + options)
    }

    /// This command once more, where somebody can be asked.
    static var askingAgain: String {
        command(["coffer"] + CommandLine.arguments.dropFirst().filter { $0 != "--no-prompt" })
    }

    static func quote(_ word: String) -> String { ShellWord.quoted(word) }
}
