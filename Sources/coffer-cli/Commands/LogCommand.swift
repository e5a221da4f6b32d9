import ArgumentParser
import BrokerProtocol
import Coffer
import Foundation

/// `coffer log`
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show who read, changed, unlocked and was refused what.",
        usage: "coffer log [--since <time>] [--follow] [--verify] [--json]",
        discussion: """
            Columns: TIME EVENT ITEM OUTCOME PROGRAM, the newest last. A program is what the process ran when it connected, as \
            the kernel said then; it may have run something else since. With a “?” it is only what the process calls itself. On a terminal the columns are aligned; otherwise tabs part them, times are in ISO 8601, and the first line names \
            the columns as well. --json has one object a line, with the control group and the item's id besides.

            The records are chained: --verify tells whether one is missing or changed, and ends with 7 if so. The oldest half is dropped \
            when there are too many, which is itself recorded. No value is ever in it.
            """)

    @Option(
        help: ArgumentHelp("Only from then on: 30m, 12h, 7d, 2026-01-31, or a time in ISO 8601.", valueName: "time"),
        transform: SinceArgument.init(parsing:))
    var since: SinceArgument?

    @Flag(name: .shortAndLong, help: "Go on showing what is added, until interrupted.")
    var follow = false

    @Flag(help: "Check the whole log instead of showing it.")
    var verify = false

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func validate() throws {
        if verify, follow || since != nil {
            throw ValidationError("--verify checks the whole log: it goes with --json only")
        }
    }

    func run() throws {
        let client = Session(vault).client
        if verify { return try check(client) }
        var table = LogTable(aligned: Output.isTerminal)
        var last: Int64 = 0
        var hasHeader = false
        repeat {
            let page = try client.call(Keychain.Log(since: since?.milliseconds, after: last))
            table.widen(for: page.records)
            if !format.json, !hasHeader, !page.records.isEmpty {
                try Output.line(table.header)
                hasHeader = true
            }
            for record in page.records {
                try Output.line(format.json ? JSONText.of(LogLine(record), pretty: false) : table.line(record))
                last = max(last, record.sequence)
            }
            if let problem = page.problem, !page.more {
                Output.note(Self.complaint(problem))
                throw ExitStatus.damaged
            }
            if page.more { continue }
            guard follow else { break }
            Thread.sleep(forTimeInterval: 1)
        } while true
        if !format.json, !hasHeader { Output.note("Nothing is logged yet.") }
    }

    private func check(_ client: KeychainClient) throws {
        let found = try client.call(Keychain.VerifyLog())
        if format.json {
            try Output.line(JSONText.of(found))
        } else if found.whole {
            let count = "\(found.records) record\(found.records == 1 ? "" : "s")"
            try Output.line("Whole: \(count), none missing or changed")
        } else {
            Output.note(Self.complaint(found.problem ?? "no reason is given"))
        }
        if !found.whole { throw ExitStatus.damaged }
    }

    private static func complaint(_ problem: String) -> String {
        "coffer: the access log is damaged: \(VisibleText.sentence(problem))"
    }
}
