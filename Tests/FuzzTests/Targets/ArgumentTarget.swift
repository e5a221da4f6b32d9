import BrokerProtocol
import Foundation
import Platform

@testable import Coffer
@testable import CofferClient
@testable import HelperProtocol
@testable import coffer_cli

/// Words of the command line, and numbers in a broker's answers.
struct ArgumentTarget: FuzzTarget {
    private let words = [
        "30d", "12h", "6w", "1y", "never", "2027-01-31", "2026-01-31T09:00:00Z", "30s", "5m", "45", "2m", "32", "900",
        "key=value", "--clip=45s", "github/me", "set", "--attribute", "JBSW Y3DP EHPK 3PXP",
        "otpauth://totp/A%20B:c?secret=JBSWY3DPEHPK3PXP&issuer=A&algorithm=SHA256&digits=8&period=60", "--group", "get",
    ].map { Array($0.utf8) }

    init() async throws {}

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let donors = Mutator.numbers.map { Array("\($0)".utf8) } + words
        let word = String(decoding: mutator.bytes(words[mutator.below(words.count)], donors: donors), as: UTF8.self)
        let number = Mutator.numbers[mutator.below(Mutator.numbers.count)]
        let calendar = CivilCalendar.utc
        for now in [Date(), Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 253_402_300_800)] {
            if case .at(let time) = ExpirationArgument(word, now: now, calendar: calendar) {
                try promise(Double(time) / 1000 > now.timeIntervalSince1970 - 1, "“\(word)” is past")
            }
            _ = SinceArgument(word, now: now, calendar: calendar)
        }
        _ = (AnswerTimeArgument(word), SecondsArgument(word))
        _ = try answer { try LengthArgument(parsing: word) }
        _ = try answer { try AttributeArgument(parsing: word) }
        _ = try answer { try NameArgument.check(word, "label") }
        // A seed that was read is one that can be used, also after it was stored.
        if let seed = try answer({ try OneTimeSeed(reading: Array(word.utf8)) }) {
            let stored = Array(seed.address(issuer: word, account: word).utf8)
            if stored.count <= OneTimeLimits.text {
                try promise(try OneTimeSeed(stored: stored) == seed, "“\(word)” is another seed when it was stored")
            }
            try promise(
                OneTimeLimits.seed.contains(seed.bytes.count) && OneTimeLimits.period.contains(seed.period)
                    && (6...8).contains(seed.digits), "“\(word)” is no seed")
        }
        _ = (PercentEncoding.decode(word[...]), ComingArgument(word), try answer { try MomentArgument(parsing: word) })
        // The parser describes all commands for it, which takes longer than everything else here.
        if mutator.below(10) == 0 {
            _ = CompletionWords([word, word, word]).candidates(items: { [] }, machines: { [] })
        }
        _ = ArgumentRewriter.rewrite([word, "--", word])
        _ = SubcommandSuggestion.distance(word, "unlock")
        _ = Assuan.unescape(Array(word.utf8))
        let time = TimeText(Int64(bitPattern: number))
        _ = (time.iso8601, time.clock(), time.day, time.relative(), TextWidth.of(word))
    }
}
