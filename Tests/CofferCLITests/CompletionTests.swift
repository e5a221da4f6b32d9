import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

@testable import coffer_cli

/// Completion in the shells themselves: commands, options and names, and a name never runs anything.
@Suite struct CompletionTests {
    private static let services = [
        "my server", "it's", "$(touch PWNED)", "`touch PWNED2`", "quo\"te", "x:y=z", "semi;touch PWNED3", "bac\\k",
        "bang!x",
        "\u{1B}]0;evil\u{7}", "new\nline", "-dash", "slash/name", "päss字", "*", "${HOME}",
    ]

    private static func fixture() throws -> FakeCoffer {
        let items =
            services.map { FakeCoffer.item($0, "me") } + [
                FakeCoffer.item("it's", "y o u"), FakeCoffer.item("plain", "ann"),
            ]
        var fixture = try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: items))],
            "Show": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))],
            "Exists": [.answer(Keychain.Exists.Reply(exists: true))],
        ])
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path()
        for (name, value) in [
            ("PATH", "\(programs):/usr/bin:/bin"), ("TERM", "xterm"), ("PS1", "READY> "),
            ("HOME", fixture.scratch.path),
            ("INPUTRC", "/dev/null"), ("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"),
        ] { fixture.program.environment[name] = value }
        return fixture
    }

    /// What a person types before the tabulator, and the item that `coffer show` is then asked for.
    private static let typed: [(String, String, String?)] = [
        ("m", "my server", nil), ("i", "it's", nil), ("\\$\\(", "$(touch PWNED)", nil), ("\\`", "`touch PWNED2`", nil),
        ("quo", "quo\"te", nil), ("x", "x:y=z", nil), ("x:", "x:y=z", nil), ("x:y=", "x:y=z", nil),
        ("sem", "semi;touch PWNED3", nil), ("bac", "bac\\k", nil), ("ban", "bang!x", nil), ("sl", "slash/name", nil),
        ("pä", "päss字", nil), ("\\*", "*", nil), ("\\${", "${HOME}", nil), ("'m", "my server", nil),
        ("\"m", "my server", nil), ("\"\\$(", "$(touch PWNED)", nil), ("'$(", "$(touch PWNED)", nil),
        ("\"quo", "quo\"te", nil), ("'it", "it's", nil), ("my\\ s", "my server", nil),
        ("it\\'s y", "it's", "y o u"), ("plain ", "plain", "ann"),
        // Nothing follows the account.
        ("plain ann ", "plain", "ann"),
    ]

    private static let shells: [CompletingShell: (command: String, setUp: String)] = [
        .bash: ("bash --norc --noprofile -i", "source <(coffer completion bash)"),
        .zsh: ("zsh -f -i", "autoload -U compinit; compinit -u -D; source <(coffer completion zsh)"),
        // fish does not read PS1, and root's prompt is another one.
        .fish: (
            #"fish --no-config -i -C 'function fish_prompt; printf "READY> "; end'"#, "coffer completion fish | source"
        ),
    ]

    @Test(arguments: CompletingShell.allCases)
    func aNameIsCompletedAndNeverRun(shell: CompletingShell) throws {
        let fixture = try Self.fixture()
        let (command, setUp) = try #require(Self.shells[shell])
        var program = fixture.program
        program.executable = "/bin/sh"
        // zsh and fish take a brace that is not escaped for the beginning of a list.
        let typed = Self.typed.filter { shell == .bash || !$0.0.hasPrefix("\\${") }
        var turns: [Program.Turn] = [.init(wait: "> ", type: setUp + "\r")]
        turns += typed.map { .init(wait: turns.count == 1 ? "> " : "Version", type: "coffer show \($0.0)\t\r") }
        turns += [.init(wait: "Version", type: "exit\r")]
        let result = try program.run(
            ["-c", "cd \(fixture.scratch.path); exec \(command) 2>&1"], input: .terminal, output: .terminal,
            turns: turns)
        let shown = try fixture.broker.calls("Show").map { try $0.parameters(Keychain.Show.self) }
        #expect(shown.map { $0?.service } == typed.map(\.1), "\(result.screen)")
        #expect(zip(shown, typed).allSatisfy { $1.2 == nil || $0?.account == $1.2 })
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path)
        #expect(!files.contains { $0.hasPrefix("PWNED") })
    }

    private func words(_ words: String...) throws -> [String] {
        let fixture = try Self.fixture()
        let result = try fixture.program.run(["complete-words", "--"] + words)
        #expect(result.status == 0 && result.errors.isEmpty)
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func whatFitsIsOffered() throws {
        #expect(try words("").contains("get") && words("").contains("help") && !words("").contains("clipboard-clear"))
        #expect(try words("help", "").contains("otp"))
        #expect(try words("completion", "") == ["bash", "zsh", "fish"])
        #expect(
            try words("sync", "") == [
                "init", "join", "add", "invite", "admit", "now", "watch", "wait", "status", "conflicts", "resolve",
                "release", "remove", "exposed", "leave", "paper", "restore", "identity", "store",
            ])
        #expect(try words("vault", "") == ["create", "accept", "set-aside"])
        #expect(try words("set", "a", "b", "--policy", "") == ["letters-digits", "symbols", "words", "pin"])
        #expect(try words("set", "a", "b", "--policy=") == PasswordPolicy.allCases.map { "--policy=\($0.rawValue)" })
        #expect(try words("set", "--generate", "").contains("plain"))
        #expect(try words("set", "--label", "").isEmpty)
        #expect(try words("get", "--").contains("--clip") && words("get", "--").allSatisfy { $0.hasPrefix("--") })
        #expect(try words("get", "pla/").contains("plain/ann") && !words("get", "x/").contains("slash/name/me"))
        #expect(try words("get", "plain", "ann", "").isEmpty && words("status", "").isEmpty)
        #expect(try words("rename", "plain", "ann", "").contains("plain"))
    }

    /// The shell completes the names of files, as for every program.
    @Test func filesAreLeftToTheShell() throws {
        let fixture = try Self.fixture()
        for words in [
            ["inject", "--in", "t"], ["inject", "--out=t"], ["run", "--env-file", ""], ["run", "--", ""],
            ["run", "--", "ls", ""], ["import", "netrc", ""], ["recovery", "restore", ""],
            ["sync", "init", ""], ["sync", "join", "t"], ["sync", "now", "--folder", ""],
        ] {
            let result = try fixture.program.run(["complete-words", "--"] + words)
            #expect(result.status == 3 && result.output.isEmpty, "\(words)")
        }
        for words in [
            ["get", ""], ["inject", "--reason", ""], ["run", "--env", ""], ["import", ""], ["status", ""],
            ["sync", "add", ""], ["sync", "join", "--name", ""],
        ] {
            #expect(try fixture.program.run(["complete-words", "--"] + words).status == 0, "\(words)")
        }
    }

    @Test(arguments: CompletingShell.allCases)
    func aFileIsCompleted(shell: CompletingShell) throws {
        let fixture = try Self.fixture()
        let (command, setUp) = try #require(Self.shells[shell])
        for name in ["template one", "other"] {
            try "text\n".write(toFile: fixture.scratch.path + "/" + name, atomically: false, encoding: .utf8)
        }
        var program = fixture.program
        program.executable = "/bin/sh"
        let turns: [Program.Turn] = [
            .init(wait: "> ", type: setUp + "\r"),
            .init(wait: "> ", type: "coffer inject --out one --in tem\t; echo DO''NE\r"),
            .init(wait: "DONE", type: "coffer inject --out two --in=oth\t; echo EN''DED\r"),
            .init(wait: "ENDED", type: "exit\r"),
        ]
        let result = try program.run(
            ["-c", "cd \(fixture.scratch.path); exec \(command) 2>&1"], input: .terminal, output: .terminal,
            turns: turns)
        for name in ["one", "two"] {
            #expect(FileManager.default.fileExists(atPath: fixture.scratch.path + "/" + name), "\(result.screen)")
        }
    }

    /// A command without --kind finds generic items only.
    @Test func namesOfOtherKindsAreOfferedWithTheirKind() throws {
        let fixture = try FakeCoffer(broker: [
            "List": [
                .answer(
                    Keychain.ItemsReply(items: [
                        FakeCoffer.item("plain", "a"), FakeCoffer.item("web", "b", kind: .internetPassword),
                    ]))
            ]
        ])
        func words(_ words: String...) throws -> [String] {
            try fixture.program.run(["complete-words", "--"] + words).text.split(separator: "\n").map(String.init)
        }
        #expect(try words("get", "") == ["plain"])
        #expect(try words("get", "--kind", "internet", "") == ["web"])
        #expect(try words("rm", "--kind=internet", "") == ["web"])
        #expect(try words("list", "") == ["plain", "web"])
    }

    /// A name comes from others in a group, too. It must not act on the terminal, make two lines, or become an option.
    @Test func noNameWithControlCharactersIsOffered() throws {
        let offered = try words("show", "")
        #expect(offered.count == Self.services.count - 3 + 1)
        #expect(!offered.contains { $0.contains("evil") || $0.contains("new") || $0.hasPrefix("-") })
        #expect(try words("show", "--", "").contains("-dash"))
    }

    @Test func theNamesAreThoseOfTheVaultThatIsNamed() throws {
        let fixture = try Self.fixture()
        _ = try fixture.program.run("complete-words", "--", "get", "--group", "ops", "")
        let message = try #require(fixture.broker.calls("List").first?.message)
        #expect(String(decoding: message, as: UTF8.self).contains("\"group\":\"ops\""))
        #expect(fixture.broker.calls("Get").isEmpty && fixture.authenticator.calls("Begin").isEmpty)
    }

    @Test func withoutABrokerThereIsSilence() throws {
        let fixture = try Self.fixture()
        var program = fixture.program
        program.environment["COFFER_SOCKET"] = "/nonexistent"
        let result = try program.run("complete-words", "--", "get", "")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    }
}
