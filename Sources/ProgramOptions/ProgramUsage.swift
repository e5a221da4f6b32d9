import Platform

/// What a program that the service manager starts can be told on its command line. The programs that people type have ArgumentParser, which is larger
/// than everything else in a small one.
///
/// ```swift
/// let usage = ProgramUsage(
///     "exampled", version: "exampled 1.0", abstract: "Serve examples.",
///     commands: [.init(options: [.init("wait", value: "seconds", help: "How long to wait.", usual: "24")])])
/// ```
public struct ProgramUsage: Sendable {
    /// An option that begins with two dashes.
    public struct Option: Sendable {
        let name: String
        /// The name of its value; nil if it takes none.
        let value: String?
        let help: String
        /// The value without the option.
        let usual: String?

        public init(_ name: String, value: String? = nil, help: String, usual: String? = nil) {
            self.name = name
            self.value = value
            self.help = help
            self.usual = usual
        }
    }

    /// What the program does, chosen by its first argument.
    public struct Command: Sendable {
        /// Empty if the program has only one.
        public let name: String
        let abstract: String
        let options: [Option]
        /// What the words behind the options are. Each is needed.
        let words: [String]
        /// Whether help lists it.
        let isShown: Bool

        public init(
            _ name: String = "", abstract: String = "", options: [Option] = [], words: [String] = [],
            isShown: Bool = true
        ) {
            self.name = name
            self.abstract = abstract
            self.options = options
            self.words = words
            self.isShown = isShown
        }
    }

    let name: String
    let version: String
    let abstract: String
    /// Paragraphs, with an empty line between. Lines that begin with spaces are printed as they are.
    let discussion: String
    let commands: [Command]

    /// - Parameter commands: at least one. The first is the one that no argument names.
    public init(_ name: String, version: String, abstract: String, discussion: String = "", commands: [Command]) {
        precondition(!commands.isEmpty, "a program does something")
        self.name = name
        self.version = version
        self.abstract = abstract
        self.discussion = discussion
        self.commands = commands
    }

    /// What the arguments ask for.
    public enum Request: Sendable, Equatable {
        case run(ParsedOptions)
        /// Help or the version, which goes to standard output.
        case show(String)
    }

    /// - Parameter arguments: without the program's own name.
    /// - Throws: ``UsageError`` for an option that the command does not have, a missing value or word, or an argument too many.
    public func read(_ arguments: [String]) throws(UsageError) -> Request {
        var rest = arguments[...]
        switch rest.first {
        case "--version" where rest.count == 1: return .show(version + "\n")
        case "help" where commands.count > 1:
            rest.removeFirst()
            guard let word = rest.first else { return .show(UsageText(self).program) }
            guard let command = named(word) else { throw UsageError("there is no command \(word)") }
            return .show(UsageText(self).text(of: command))
        default: break
        }
        var command = commands[0]
        var isNamed = commands.count == 1
        if !isNamed, let word = rest.first, let found = named(word) {
            command = found
            isNamed = true
            rest.removeFirst()
        }
        let (values, words) = try Self.values(Array(rest), of: command)
        if values["help"] != nil {
            return .show(isNamed && commands.count > 1 ? UsageText(self).text(of: command) : UsageText(self).program)
        }
        guard words.count == command.words.count else {
            throw UsageError("a <\(command.words[words.count])> is needed")
        }
        return .run(ParsedOptions(command: command.name, values: values, words: words))
    }

    private static func values(
        _ words: [String], of command: Command
    ) throws(UsageError) -> (values: [String: String], words: [String]) {
        let options = LongOptions(
            command.options.map(\.name), takingValue: Set(command.options.filter { $0.value != nil }.map(\.name)),
            wordCount: command.words.count)
        do throws(LongOptions.Mistake) { return try options.read(words) } catch {
            switch error {
            case .unknown(let word): throw UsageError("there is no option \(word)")
            case .missingValue(let word): throw UsageError("\(word) needs a value")
            // The word is not repeated, because it may be anything.
            case .surplus: throw UsageError("there is an argument too many")
            }
        }
    }

    private func named(_ word: String) -> Command? { commands.first { $0.name == word && !word.isEmpty } }
}

/// The command that was chosen, with the values of its options.
public struct ParsedOptions: Sendable, Equatable {
    /// Empty if the program has only one.
    public let command: String
    private let values: [String: String]
    /// Those behind the options, as many as the command has.
    public let words: [String]

    init(command: String, values: [String: String], words: [String] = []) {
        self.command = command
        self.values = values
        self.words = words
    }

    /// An option's value; empty for one that takes none, and nil if it was not given.
    public subscript(_ name: String) -> String? { values[name] }
}

/// Wrong use of a program, with exit status 64.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as a clause.
    public let description: String

    public init(_ description: String) { self.description = description }
}
