/// A script of commands with what they print. In a script file
/// - `$ COMMAND` runs in a shell without a terminal, `% COMMAND` at a terminal,
/// - `< PROMPT|ANSWER` after a `%` line waits for the prompt and types the answer,
/// - the lines up to the next empty line are what the command prints, `[exit N]` its status when that is not 0,
/// - `#` starts a comment; `#! sandbox` is followed by options for the sandbox.
struct GoldenScript {
    enum Part {
        /// A comment or an empty line.
        case text(String)
        case command(Command)
    }

    struct Command {
        var line: String
        var atTerminal: Bool
        var turns: [Program.Turn] = []
        var printed: [String] = []
    }

    var parts: [Part] = []

    /// The words after `#! sandbox`.
    var sandboxOptions: [String] {
        parts.flatMap { part -> [String] in
            guard case .text(let line) = part, line.hasPrefix("#! sandbox ") else { return [] }
            return line.split(separator: " ").dropFirst(2).map(String.init)
        }
    }

    init(_ text: String) {
        var command: Command?
        func finished(_ parts: inout [Part]) {
            if let command { parts.append(.command(command)) }
            command = nil
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") || line.hasPrefix("% ") {
                finished(&parts)
                command = Command(line: String(line.dropFirst(2)), atTerminal: line.hasPrefix("%"))
            } else if line.isEmpty || (command == nil && line.hasPrefix("#")) {
                finished(&parts)
                parts.append(.text(line))
            } else if line.hasPrefix("< ") {
                let halves = line.dropFirst(2).split(separator: "|", maxSplits: 1).map(String.init)
                command?.turns.append(.init(wait: halves[0], type: (halves.count > 1 ? halves[1] : "") + "\r"))
            } else {
                command?.printed.append(line)
            }
        }
        finished(&parts)
    }

    var text: String {
        parts.map { part in
            switch part {
            case .text(let line): line
            case .command(let command):
                ([(command.atTerminal ? "% " : "$ ") + command.line]
                    + command.turns.map { "< \($0.wait)|\($0.type.dropLast())" } + command.printed).joined(
                        separator: "\n")
            }
        }.joined(separator: "\n")
    }
}
