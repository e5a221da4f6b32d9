import Coffer
import FoundationEssentials

/// JSON for other programs. The keys are sorted, so that two runs can be compared.
enum JSONText {
    static func of(_ value: some Encodable, pretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Replaces characters that are not to be seen by JSON escapes, which mean the same. They occur only within strings, because all else is ASCII.
    private static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
        return VisibleText.escaped(text, .json, keeping: ["\n"])
    }
}

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

    static func quote(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", "@", "%", "+", "=", ",": true
            default: false
            }
        }
        if plain, !word.isEmpty { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
