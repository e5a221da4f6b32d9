/// A program's help, in lines that fit on a terminal.
struct UsageText {
    private static let width = 80
    private static let column = 30

    private let usage: ProgramUsage

    init(_ usage: ProgramUsage) { self.usage = usage }

    /// The line that an error shows.
    var line: String {
        let command = usage.commands.count > 1 ? " [<command>]" : ""
        return "Usage: \(usage.name)\(command) [options]"
    }

    var program: String {
        var text = "OVERVIEW: \(usage.abstract)".wrapped(to: Self.width) + "\n"
        for paragraph in usage.discussion.split(separator: "\n\n") {
            let isKept = paragraph.hasPrefix("  ")
            text += "\n" + (isKept ? String(paragraph) : String(paragraph).wrapped(to: Self.width)) + "\n"
        }
        text += "\nUSAGE: \(usage.name)" + (usage.commands.count > 1 ? " [<command>]" : "") + " [options]\n"
        text += "\nOPTIONS:\n"
        if usage.commands.count == 1 { text += options(usage.commands[0]) }
        text += entry("--version", "Show the version.") + entry("-h, --help", "Show this help.")
        let shown = usage.commands.filter { $0.isShown && !$0.name.isEmpty }
        guard !shown.isEmpty else { return text }
        text += "\nCOMMANDS:\n"
        for command in shown {
            let isUsual = command.name == usage.commands[0].name
            text += entry(command.name + (isUsual ? " (default)" : ""), command.abstract)
        }
        return text + "\nFor a command's options: \(usage.name) help <command>\n"
    }

    func text(of command: ProgramUsage.Command) -> String {
        "OVERVIEW: \(command.abstract)".wrapped(to: Self.width) + "\n\nUSAGE: \(usage.name) \(command.name) [options]"
            + command.words.map { " <\($0)>" }.joined() + "\n"
            + "\nOPTIONS:\n" + options(command) + entry("-h, --help", "Show this help.")
    }

    private func options(_ command: ProgramUsage.Command) -> String {
        command.options.map { option in
            entry(
                "--\(option.name)" + (option.value.map { " <\($0)>" } ?? ""),
                option.help + (option.usual.map { " (default: \($0))" } ?? ""))
        }.joined()
    }

    private func entry(_ name: String, _ help: String) -> String {
        let lines = help.wrapped(to: Self.width - Self.column).split(separator: "\n")
        let left = "  " + name
        let gap = String(repeating: " ", count: max(1, Self.column - left.count))
        let indent = "\n" + String(repeating: " ", count: Self.column)
        return left + gap + lines.joined(separator: indent) + "\n"
    }
}

extension String {
    /// Its words in lines of at most so many characters; a longer word has a line of its own.
    fileprivate func wrapped(to width: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
