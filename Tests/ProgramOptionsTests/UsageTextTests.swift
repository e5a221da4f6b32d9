import Testing

@testable import ProgramOptions

/// What a person is shown, to the letter. These are of the same suite, because getopt_long keeps its state.
extension ProgramUsageTests {
    private static let pair = ProgramUsage(
        "pair", version: "pair 1.0", abstract: "Do one of two things.",
        commands: [
            .init("serve", abstract: "Serve.", options: [.init("config", value: "file", help: "F.", usual: "/etc/f")]),
            .init("list", abstract: "List.", words: ["what"]),
        ])
    private static let alone = ProgramUsage(
        "alone", version: "alone 1.0", abstract: "Do it.", commands: [.init(options: [.init("now", help: "N.")])])

    @Test func anErrorShowsWhetherThereAreCommands() {
        #expect(UsageText(Self.pair).line == "Usage: pair [<command>] [options]")
        #expect(UsageText(Self.alone).line == "Usage: alone [options]")
    }

    @Test func twoCommandsAreSeveral() throws {
        let program = """
            OVERVIEW: Do one of two things.

            USAGE: pair [<command>] [options]

            OPTIONS:
              --version                   Show the version.
              -h, --help                  Show this help.

            COMMANDS:
              serve (default)             Serve.
              list                        List.

            For a command's options: pair help <command>

            """
        let serve = """
            OVERVIEW: Serve.

            USAGE: pair serve [options]

            OPTIONS:
              --config <file>             F. (default: /etc/f)
              -h, --help                  Show this help.

            """
        let list = """
            OVERVIEW: List.

            USAGE: pair list [options] <what>

            OPTIONS:
              -h, --help                  Show this help.

            """
        for words in [["--help"], ["-h"], ["help"]] { #expect(try Self.pair.read(words) == .show(program)) }
        for words in [["help", "serve"], ["serve", "--help"]] { #expect(try Self.pair.read(words) == .show(serve)) }
        for words in [["help", "list"], ["list", "-h"]] { #expect(try Self.pair.read(words) == .show(list)) }
    }

    @Test func oneCommandIsTheProgram() throws {
        let program = """
            OVERVIEW: Do it.

            USAGE: alone [options]

            OPTIONS:
              --now                       N.
              --version                   Show the version.
              -h, --help                  Show this help.

            """
        for words in [["--help"], ["-h"]] { #expect(try Self.alone.read(words) == .show(program)) }
        #expect(throws: UsageError("there is an argument too many")) { try Self.alone.read(["help"]) }
    }

    @Test func aLineHasEightyCharacters() {
        func word(_ count: Int) -> String { String(repeating: "x", count: count) }
        let usage = ProgramUsage(
            "one", version: "one 1.0", abstract: "\(word(70)) y",
            commands: [
                .init(options: [
                    .init(word(25), help: "\(word(24)) \(word(25))"), .init(word(26), help: "\(word(24)) \(word(26))"),
                ])
            ])
        let lines = UsageText(usage).program.split(separator: "\n").map(String.init)
        #expect(
            Array(lines.prefix(7)) == [
                "OVERVIEW: \(word(70))", "y", "USAGE: one [options]", "OPTIONS:",
                "  --\(word(25)) \(word(24)) \(word(25))", "  --\(word(26)) \(word(24))",
                String(repeating: " ", count: 30) + word(26),
            ])
    }
}
