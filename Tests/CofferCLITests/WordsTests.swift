import ArgumentParser
import Foundation
import Platform
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// Times, names and mistakes in messages.
@Suite struct WordsTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static let times: [(Double, String)] = [
        (0, "just now"), (-59, "just now"), (-60, "1 minute ago"), (-7199, "1 hour ago"), (-86_400 * 3, "3 days ago"),
        (-86_400 * 13, "13 days ago"), (-86_400 * 14, "2 weeks ago"), (-86_400 * 90, "2 months ago"),
        (-86_400 * 800, "2 years ago"),
        (86_401, "in 1 day"), (30, "in less than a minute"),
    ]

    @Test(arguments: times)
    func relativeTimes(seconds: Double, words: String) {
        let time = TimeText(Int64((1_700_000_000 + seconds) * 1000))
        #expect(time.relative(to: Self.now) == words)
    }

    private static let lengths: [(String, Double?)] = [
        ("12h", 43_200), ("30d", 2_592_000), ("1w", 604_800), ("1y", 31_557_600), ("0d", nil), ("-1d", nil), ("d", nil),
        ("5m", nil), ("2023-11-13", nil), ("2023-02-30", nil), ("20231-1-1", nil), ("tomorrow", nil),
        ("9999999999y", nil),
    ]

    @Test(arguments: lengths)
    func expirationTimes(text: String, seconds: Double?) {
        let parsed = ExpirationArgument(text, now: Self.now, calendar: .utc)
        #expect(parsed == seconds.map { .at(Int64((1_700_000_000 + $0) * 1000)) })
    }

    @Test func expirationDays() {
        #expect(ExpirationArgument("2024-01-01", now: Self.now, calendar: .utc) == .at(1_704_067_200_000))
        #expect(
            ExpirationArgument("2024-01-01T12:00:00Z", now: Self.now, calendar: .utc) == .at(1_704_110_400_000))
        #expect(ExpirationArgument("never", now: Self.now, calendar: .utc) == .never)
        // A moment of a day or an hour that does not exist would be a later one.
        for text in ["2024-02-30T00:00:00Z", "2024-01-01T25:00:00Z", "2024-01-01T12:60:00Z", "99999-01-01T00:00:00Z"] {
            #expect(ExpirationArgument(text, now: Self.now, calendar: .utc) == nil, "\(text)")
        }
    }

    /// The help is wrapped to the terminal. So a line must not be broken before, or it would be broken twice.
    @Test func everyParagraphOfTheHelpIsOneLine() {
        var waiting: [any ParsableCommand.Type] = [CofferCommand.self]
        var seen = 0
        while let command = waiting.popLast() {
            waiting += command.configuration.subcommands
            for paragraph in command.configuration.discussion.split(separator: "\n\n") where paragraph.contains("\n") {
                // A heading, and the indented text below it, stays as it is.
                let broken = paragraph.split(separator: "\n").dropFirst().first { !$0.hasPrefix("  ") }
                #expect(broken == nil, "\(command)")
                // Indented text would continue at the margin if it were wrapped.
                let long = paragraph.split(separator: "\n").first { $0.hasPrefix(" ") && $0.count > 79 }
                #expect(long == nil, "\(command)")
            }
            seen += 1
        }
        #expect(seen > 20)
    }

    @Test func helpShowsThatAValueMayBeLeftOut() {
        #expect(CofferCommand.helpMessage(for: GetCommand.self).contains("--clip[=<seconds>]"))
        #expect(CofferCommand.helpMessage(for: SetCommand.self).contains("--generate[=<length>]"))
    }

    @Test func shellQuoting() {
        #expect(
            ShellText.command(["coffer", "get", "a b", nil, "it's", "$(x)", ""])
                == "coffer get 'a b' 'it'\\''s' '$(x)' ''")
    }

    @Test func visibleText() {
        #expect(VisibleText.line("a\u{0}b\u{85}c\u{200B}d") == "a\\u{0}b\\u{85}c\\u{200b}d")
        // Joined or not, the two look alike in many places.
        #expect(VisibleText.line("päss 字 👩‍💻") == "päss 字 👩\\u{200d}💻")
        #expect(VisibleText.lines("a\nb\\c\u{1B}") == "a\nb\\c\\u{1b}")
        #expect(VisibleText.sentence("a\nb\\c") == "a\\nb\\c")
    }

    @Test func assuanEscapes() {
        #expect(Assuan.escape("50%\nx\r") == "50%25%0Ax%0D")
        #expect(Assuan.unescape("50%25 %0A%zz%".utf8) == Array("50% \n%zz%".utf8))
    }

    @Test func distances() {
        #expect(SubcommandSuggestion.distance("gte", "get") == 1)
        #expect(SubcommandSuggestion.distance("lsit", "list") == 1)
        #expect(SubcommandSuggestion.distance("", "rm") == 2)
    }
}
