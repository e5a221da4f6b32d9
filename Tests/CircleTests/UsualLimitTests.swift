import Testing

@testable import Circle

/// The limits of docs/sync-format.md, "Limits". A machine with other ones would refuse what the others write, or the others
/// what it writes.
@Suite struct UsualLimitTests {
    @Test func whatAMachineReadsIsWhatTheFormatSays() {
        #expect([CircleLimits.segment, CircleLimits.body, CircleLimits.records] == [1 << 20, 900_000, 8192])
        #expect([CircleLimits.changes, CircleLimits.slots, CircleLimits.slot] == [4096, 256, 1024])
        #expect(CircleLimits.number == 9_999_999_999_999_999)
        #expect([CircleLimits.heads, CircleLimits.head, CircleLimits.past] == [1024, 128 << 10, 50_000])
        #expect([CircleLimits.runs, CircleLimits.itemIDs, StreamHead.mostSeen] == [1024, 256, 64])
        #expect([CircleLimits.statement, CircleLimits.generation] == [64 << 10, 300_000])
        #expect([CircleLimits.name, CircleLimits.request] == [64, 768])
        #expect([CircleLimits.identity, CircleLimits.challenge, CircleLimits.evidence] == [256, 256, 4096])
        #expect([CircleLimits.knock, CircleLimits.statements, CircleLimits.generations] == [256, 8192, 1024])
        #expect(CircleLimits.answer == 16 << 20)
    }

    /// The length comes before anything is read.
    @Test func aLongStatementIsRefusedForItsLength() {
        #expect(throws: CircleFormError.length) {
            try SignedStatement(decoding: [UInt8](repeating: 0, count: CircleLimits.statement + 1))
        }
        let short = #expect(throws: CircleFormError.self) {
            try SignedStatement(decoding: [UInt8](repeating: 0, count: CircleLimits.statement))
        }
        #expect(short != .length)
    }
}
