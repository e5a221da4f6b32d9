import Testing

@testable import ProgramOptions

/// getopt_long keeps its state for the whole process, so these run one after the other.
@Suite(.serialized)
struct ProgramUsageTests {
    private static let several = ProgramUsage(
        "exampled", version: "exampled 1.0", abstract: "Serve examples.",
        commands: [
            .init("serve", abstract: "Serve.", options: [.init("config", value: "file", help: "F.", usual: "/etc/f")]),
            .init("list", abstract: "List.", options: [.init("all", help: "All.")]),
            .init("inner", abstract: "For itself.", isShown: false),
        ])
    private static let single = ProgramUsage(
        "one", version: "one 2.0", abstract: "Do one thing.", discussion: "A paragraph.\n\n  kept as  it is",
        commands: [
            .init(options: [.init("wait", value: "seconds", help: "How long.", usual: "24"), .init("now", help: "N.")])
        ])

    private func run(_ usage: ProgramUsage, _ words: String...) throws -> ParsedOptions {
        guard case .run(let options) = try usage.read(words) else { throw UsageError("it shows a text") }
        return options
    }

    @Test func theFirstCommandNeedsNoName() throws {
        #expect(try run(Self.several) == ParsedOptions(command: "serve", values: [:]))
        #expect(try run(Self.several, "--config", "x")["config"] == "x")
        #expect(try run(Self.several, "serve", "--config=y")["config"] == "y")
        #expect(try run(Self.several, "list", "--all")["all"] == "")
        #expect(try run(Self.several, "inner").command == "inner")
    }

    @Test func aProgramWithoutCommandsHasOptions() throws {
        let options = try run(Self.single, "--now", "--wait", "3")
        #expect(options["now"] == "" && options["wait"] == "3" && options["other"] == nil)
        #expect(try run(Self.single, "--wait=")["wait"] == "")
    }

    @Test(
        "wrong use is told, and what is wrong with it",
        arguments: [
            (["--bogus"], "there is no option --bogus"), (["list", "--config", "x"], "there is no option --config"),
            (["--config"], "--config needs a value"), (["list", "--all=1"], "there is no option --all"),
            (["surplus"], "there is an argument too many"), (["list", "list"], "there is an argument too many"),
            (["help", "nothing"], "there is no command nothing"), (["-x"], "there is no option -x"),
        ])
    func wrongUse(_ words: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try Self.several.read(words) }
    }

    @Test func aCommandTakesAsManyWordsAsItNames() throws {
        let usage = ProgramUsage(
            "helper", version: "helper 1.0", abstract: "Help.",
            commands: [
                .init("copy", options: [.init("all", help: "All.")], words: ["from", "to"]), .init("end", words: []),
            ])
        #expect(try run(usage, "copy", "--all", "--", "-a", "b").words == ["-a", "b"])
        #expect(try run(usage, "copy", "a", "--all").words == ["a", "--all"])
        #expect(try run(usage, "end").words.isEmpty)
        #expect(throws: UsageError("a <to> is needed")) { try usage.read(["copy", "a"]) }
        #expect(throws: UsageError("a <from> is needed")) { try usage.read([]) }
        #expect(throws: UsageError("there is an argument too many")) { try usage.read(["copy", "a", "b", "c"]) }
        #expect(throws: UsageError("there is an argument too many")) { try usage.read(["end", "a"]) }
        guard case .show(let text) = try usage.read(["help", "copy"]) else { throw UsageError("no help") }
        #expect(text.contains("USAGE: helper copy [options] <from> <to>"))
    }

    @Test func helpListsWhatThereIs() throws {
        for words in [["--help"], ["-h"], ["help"]] {
            guard case .show(let text) = try Self.several.read(words) else { throw UsageError("no help") }
            #expect(text.contains("USAGE: exampled [<command>] [options]") && text.contains("serve (default)"))
            #expect(text.contains("list") && !text.contains("inner"))
        }
        #expect(try Self.several.read(["list", "--help"]) == Self.several.read(["help", "list"]))
        #expect(try Self.several.read(["--version"]) == .show("exampled 1.0\n"))
        guard case .show(let text) = try Self.single.read(["--help"]) else { throw UsageError("no help") }
        #expect(text.contains("  kept as  it is\n") && text.contains("How long. (default: 24)"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func optionsAreReadAgainFromTheStart() throws {
        for _ in 0..<3 { #expect(try run(Self.single, "--wait", "5")["wait"] == "5") }
    }
}
