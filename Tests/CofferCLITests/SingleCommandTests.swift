import ArgumentParser
import Foundation
import Testing

@testable import coffer_cli

/// What is parsed without the parser for all commands is what that parser makes of it. Everything else is left to it.
@Suite struct SingleCommandTests {
    private static let understood: [[String]] = [
        ["get", "github", "me"], ["get", "github/me"], ["get", "a b", "é"], ["get", "github", ""],
        ["get", "github", "me", "--reason", "why", "--no-prompt", "--json", "--user", "backup"],
        ["get", "--clip=45s", "--", "-service", "-account"], ["list"], ["list", "--json"],
        ["set", "s", "a", "--require", "presence"], ["rm", "s", "a"], ["unlock"], ["get", "help", "me"],
    ]

    @Test(arguments: understood)
    func same(arguments: [String]) throws {
        let single = try #require(SingleCommand.parse(arguments))
        #expect(String(reflecting: single) == String(reflecting: try CofferCommand.parseAsRoot(arguments)))
    }

    /// Their answers name the whole command, so the other parser has to give them.
    private static let left: [[String]] = [
        [], ["--version"], ["--help"], ["help"], ["help", "get"], ["get"], ["get", "--help"], ["get", "a", "b", "-h"],
        ["get", "a", "b", "c"], ["get", "", "a"], ["get", "a", "--unknown"], ["get", "a", "--version"],
        ["get", "a", String(repeating: "x", count: 100_000)],
        ["get", "a", "b", "--generate-completion-script", "bash"],
        ["--generate-completion-script", "bash"], ["get", "a", "\u{FFFD}"], ["vault", "create"], ["unknown"],
        ["get", "a", "--user", "b", "--group", "c"],
    ]

    @Test(arguments: left)
    func other(arguments: [String]) { #expect(SingleCommand.parse(arguments) == nil) }

    /// A word with one dash is an option only if its command has it. The table of these words is written by hand.
    @Test func shortOptions() throws {
        struct Dump: Decodable { var command: Command }
        struct Command: Decodable { var arguments: [Argument]? }
        struct Argument: Decodable { var names: [Name]? }
        struct Name: Decodable {
            var kind: String
            var name: String
        }
        var found: Set<String> = []
        for command in CofferCommand.configuration.subcommands {
            let word = try #require(command.configuration.commandName)
            let dump = try JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8))
            for name in (dump.command.arguments ?? []).flatMap({ $0.names ?? [] }) where name.kind == "short" {
                found.insert(name.name)
                #expect(DashedWord.mistake(in: [word, "-\(name.name)", "x"]) == nil, "\(word) -\(name.name)")
            }
        }
        #expect(found.isSuperset(of: ["o", "q", "f", "h"]))
        #expect(DashedWord.mistake(in: ["get", "-o", "x"]) != nil)
        #expect(DashedWord.mistake(in: ["export", "-hub"]) != nil)
    }

    /// All commands without commands of their own are parsed alone.
    @Test func all() {
        for command in CofferCommand.configuration.subcommands
        where command.configuration.subcommands.isEmpty && command.configuration.shouldDisplay {
            #expect(command.configuration._superCommandName == "coffer", "\(command)")
        }
    }
}
