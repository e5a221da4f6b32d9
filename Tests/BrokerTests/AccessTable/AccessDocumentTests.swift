import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

/// The tables of docs/access-control.md are those of the tests. `COFFER_UPDATE_GOLDEN=1` writes them.
@Suite(.serialized)
struct AccessDocumentTests {
    private static let page = "docs/access-control.md"

    /// When each class can be read, and where its secrets can go.
    private static var classes: [String] {
        var lines = [
            "| class | sealed | locked | unlocked | leaves this device |",
            "|---|---|---|---|---|",
        ]
        for accessibility in AccessControl.Accessibility.allCases {
            let row = AccessRow(accessibility: accessibility, thisDeviceOnly: false, require: [], joined: .none)
            let states: [String] = [AccessRow.State.sealed, .locked, .unlocked].map { state in
                if row.needsBoundVault { return "refused: not bound" }
                return row.outcome(in: state, unlocking: false, password: false) == .value ? "yes" : "`Locked`"
            }
            let isPortable = accessibility == .whenUnlocked || accessibility == .afterFirstUnlock
            let scope = isPortable ? "unless `--this-device-only`" : "never"
            lines.append("| `\(accessibility.rawValue)` | \(states.joined(separator: " | ")) | \(scope) |")
        }
        return lines
    }

    /// What a read requires, for each set of constraints.
    private static var requirements: [String] {
        var lines = ["| `--require` | all of them | with `--any` |", "|---|---|---|"]
        for set in AccessRow.sets {
            let name = set.isEmpty ? "*none*" : set.map { "`\($0.rawValue)`" }.joined(separator: " ")
            let cells = [AccessRow.Joined.none, .or].map { joined in
                let row = AccessRow(accessibility: .whenUnlocked, thisDeviceOnly: false, require: set, joined: joined)
                return row.isContradiction ? "refused" : row.ways.map(text).joined(separator: ", or ")
            }
            lines.append("| \(name) | \(cells[0]) | \(cells[1]) |")
        }
        return lines
    }

    private static func text(_ way: [AccessControl.Requirement]) -> String {
        if way.isEmpty { return "nothing" }
        return way.map { AccessRow.signature[$0] ?? "the application password" }.joined(separator: " + ")
    }

    /// The result of a call in each state, for each kind of item that makes a difference.
    private static var calls: [String] {
        let examples: [(String, [AccessControl.Requirement], AccessRow.Joined)] = [
            ("*none*", [], .none), ("`presence`", [.userPresence], .none),
            ("`presence` and `passcode`", [.userPresence, .devicePasscode], .and),
            ("`biometry` or `passcode`", [.biometryAny, .devicePasscode], .or),
            ("`app-password`", [.applicationPassword], .none),
            ("`presence` and `app-password`", [.userPresence, .applicationPassword], .and),
            ("`presence` or `app-password`", [.userPresence, .applicationPassword], .or),
        ]
        var lines = [
            "| item of class `when-unlocked` | locked | locked, `unlock: true` | unlocked | unlocked, with the password |",
            "|---|---|---|---|---|",
        ]
        for (name, set, joined) in examples {
            let row = AccessRow(accessibility: .whenUnlocked, thisDeviceOnly: false, require: set, joined: joined)
            let cells = [
                row.outcome(in: .locked, unlocking: false, password: false),
                row.outcome(in: .locked, unlocking: true, password: false),
                row.outcome(in: .unlocked, unlocking: false, password: false),
                row.outcome(in: .unlocked, unlocking: false, password: true),
            ]
            lines.append("| \(name) | \(cells.map(text).joined(separator: " | ")) |")
        }
        return lines
    }

    private static func text(_ outcome: AccessRow.Outcome) -> String {
        switch outcome {
        case .absent: "`NotFound`"
        case .locked: "`Locked`"
        case .passwordRequired: "`ApplicationPasswordRequired`"
        case .passwordRefused: "`InvalidArgument`"
        case .value: "the value"
        case .person(_, let ways): ways.map { $0.joined(separator: " + ") }.joined(separator: ", or ")
        }
    }

    @Test("the page's tables say what the tests hold the code to", arguments: ["classes", "requirements", "calls"])
    func tables(name: String) throws {
        let lines: [String] =
            switch name {
            case "classes": Self.classes
            case "requirements": Self.requirements
            default: Self.calls
            }
        var text = try SourceTree.text(Self.page)
        let (begin, end) = ("<!-- table: \(name) -->\n", "<!-- end -->\n")
        let start = try #require(text.range(of: begin)?.upperBound)
        let stop = try #require(text.range(of: end, range: start..<text.endIndex)?.lowerBound)
        let table = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["COFFER_UPDATE_GOLDEN"] == "1" {
            text.replaceSubrange(start..<stop, with: table)
            try Data(text.utf8).write(to: URL(filePath: SourceTree.path(Self.page)))
        } else {
            #expect(text[start..<stop] == table)
        }
    }
}
