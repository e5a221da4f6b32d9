import ArgumentParser
import TestSupport
import Testing

@testable import coffer_cli

/// What is read without the parser is read as the parser would.
struct PlainCommandTests {
    private static let verbs = [
        "get", "get", "get", "exists", "read", "read", "set", "list", "help", "ge", "GET", "", "--version", "git",
    ]
    private static let words = [
        "github", "me", "", " ", "a/b", "/", "//", "a b", "-", "--", "-h", "--help", "--json", "--raw", "--clip",
        "--clip=30", "30", "-f", "--reason", "--reason=x", "--no-prompt", "--group", "--group=ops", "--user", "help",
        "get", "--version", "3", "=", "a=b", "naïve", "e\u{301}", "🔑", "\u{FFFD}", "\n", "\u{202E}x",
        String(repeating: "x", count: 1024), String(repeating: "x", count: 1025), String(repeating: "ü", count: 513),
        "coffer://github/me", "coffer://github", "coffer:///x", "coffer://a%2Fb/c%20d", "coffer://a/b?group=ops",
        "coffer://a/b?kind=internet", "coffer://a/b?kind=no", "coffer://a/b/c", "coffer://%zz/x", "COFFER://a/b",
        "—", "−f", "---completion", "@file", "~", "*", "$HOME", "\\", "'", "\"",
    ]

    @Test("100,000 random command lines: the parser reads the same, or has to read it")
    func bothWaysAgree() throws {
        var random = SplitMix64(seed: 1)
        var accepted = 0
        // The parser takes a millisecond for a line, so it reads each line once.
        var seen: Set<[String]> = []
        for _ in 0..<100_000 {
            let count = Int.random(in: 0...4, using: &random)
            let line =
                [Self.verbs.randomElement(using: &random)!]
                + (0..<count).map { _ in Self.words.randomElement(using: &random)! }
            guard let plain = PlainCommand(line) else { continue }
            accepted += 1
            guard seen.insert(line).inserted else { continue }
            if plain == .version { continue }
            #expect(ArgumentRewriter.rewrite(line) == line)
            #expect(RunCommand.mistake(in: line) == nil && DashedWord.mistake(in: line) == nil)
            let parsed = try #require(SingleCommand.parse(line), "\(line)")
            #expect(try plain == PlainCommand(parsed), "\(line)")
        }
        // A test of nothing would be green, too.
        #expect(accepted > 5_000 && seen.count > 1_000)
    }

    @Test(arguments: [
        ["get", "github"], ["get", "github", "me"], ["get", "github/me"], ["get", "github", ""], ["exists", "a", "b"],
        ["read", "coffer://github/me"],
    ])
    func whatScriptsCallIsReadHere(_ line: [String]) { #expect(PlainCommand(line) != nil) }

    @Test func theVersionIsTheParsers() throws {
        #expect(PlainCommand(["--version"]) == .version)
        for longer in [
            ["--version", "x"], ["--version", "--version"], ["--version="], ["-version"], ["--", "--version"],
        ] {
            #expect(PlainCommand(longer) == nil)
        }
        let answer = #expect(throws: (any Error).self) { try CofferCommand.parseAsRoot(["--version"]) }
        #expect(CofferCommand.fullMessage(for: try #require(answer)) == CofferCommand.shownVersion)
    }

    @Test(arguments: [
        [], ["get"], ["get", "a", "b", "c"], ["get", "a", "--json"], ["get", "--", "a"], ["get", ""], ["get", "-"],
        ["get", "a\u{FFFD}"], ["read", "github/me"], ["read", "coffer://a/b", "c"], ["rm", "a", "b"],
    ])
    func theRestIsTheParsers(_ line: [String]) { #expect(PlainCommand(line) == nil) }
}

extension PlainCommand {
    /// What a parsed command does, if it has no option.
    fileprivate init(_ parsed: any ParsableCommand) throws {
        switch parsed {
        case let get as GetCommand:
            try #require(
                get.item.kind.kind == nil && !get.prompt.noPrompt && !get.password.appPassword && get.vault.words == []
                    && !get.format.json && !get.raw && get.why.reason == nil && get.clip == nil && get.version == nil
                    && get.surplus == [])
            self = .get(service: get.item.service, account: get.item.account)
        case let exists as ExistsCommand:
            try #require(exists.item.kind.kind == nil && exists.vault.words == [])
            self = .exists(service: exists.item.service, account: exists.item.account)
        case let read as ReadCommand:
            try #require(
                !read.prompt.noPrompt && !read.password.appPassword && read.vault.words == [] && !read.format.json
                    && !read.raw && read.why.reason == nil)
            self = .read(try SecretReference(parsing: read.reference))
        default:
            throw UnexpectedCommand()
        }
    }
}

private struct UnexpectedCommand: Error {}
