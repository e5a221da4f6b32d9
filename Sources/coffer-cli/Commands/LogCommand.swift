import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc
import Varlink

/// `coffer log`
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", _superCommandName: "coffer",
        abstract: "Show the access log: reads, changes, unlocks and refusals, and the programs behind them.",
        usage: "coffer log [--since <time>] [--follow] [--verify] [--json]",
        discussion: """
            Columns: TIME EVENT ITEM OUTCOME PROGRAM, the newest last. PROGRAM is the program that the process ran when it connected, as the \
            kernel reported it then. The process may have run something else since. A “?” marks a name that only the process itself gives. On a \
            terminal the columns are aligned. Otherwise tabs separate them, times are in ISO 8601, and the first line names the columns, too. \
            --json prints one object a line, with the control group and the item's id as well. In the log of another vault (--group, --user) \
            the column USER before PROGRAM names who it was.

            The records are chained: --verify finds out whether one is missing or changed, and then ends with status 7. A log that was not \
            whole stays beside the vault's file, where root finds it (user-<uid>.log.damaged), and a new one says so for as long as that \
            record is in it. If there are too many \
            records, the oldest half is dropped, and the log records that. It never holds a value.
            """)

    @Option(
        help: ArgumentHelp(
            "Only records since then: 30m, 12h, 7d, 2026-01-31, or a time in ISO 8601.", valueName: "time"),
        transform: SinceArgument.init(parsing:))
    var since: SinceArgument?

    @Flag(
        name: .shortAndLong,
        help: "Keep showing new records until interrupted. While the broker starts again, it is waited for.")
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
        let client = CommandSession(vault).client
        if verify { return try check(client) }
        var table = LogTable(
            aligned: Output.isTerminal, width: Output.columns, namesUsers: vault.group != nil || vault.user != nil)
        var last: Int64 = 0
        var hasHeader = false
        // nil until the broker has answered once: before that, an error is the person's to mend.
        var pause: FollowPause?
        repeat {
            let page: Keychain.Log.Reply
            do throws(KeychainError) {
                page = try client.call(Keychain.Log(since: since?.milliseconds, after: last))
            } catch {
                guard pause != nil else { throw error }
                try pause?.wait(for: error)
                continue
            }
            if follow { pause = FollowPause() }
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
            sleep(1)
        } while true
        if !format.json, !hasHeader {
            Output.note(since == nil ? "Nothing is logged yet." : "Nothing was logged since then.")
        }
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
        "coffer: the access log is damaged: \(VisibleText.sentence(problem)). Records from before may be lost. "
            + "Have root look at the former log: it is beside the vault's file, with “.damaged” in its name. "
            + "This mark ends when the log drops that record with its oldest half"
    }
}
