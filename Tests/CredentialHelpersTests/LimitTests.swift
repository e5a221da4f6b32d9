import Testing

@testable import CredentialHelpers

/// What the two programs take from git and docker (docs/git.md, "Limits").
@Suite struct LimitTests {
    @Test func theLimitsAreThoseOfThePage() {
        #expect(CredentialInputLimits.total == 8 << 20 && CredentialInputLimits.part == 64 << 10)
        #expect([FieldLimits.name, FieldLimits.secret] == [4 << 10, 1 << 20])
        #expect(ArgumentLimits.owner == 256)
    }

    /// They change on purpose only, and then here, too.
    @Test func otherLimitsAreAsTheyWereChosen() {
        #expect([FieldLimits.key, FieldLimits.word] == [32, 64])
        #expect([CredentialCallLimits.reads, CredentialCallLimits.changes] == [32, 128])
        #expect([CredentialCallLimits.tries, CredentialCallLimits.attempts] == [3, 8])
        #expect(CredentialCallLimits.reason == 200)
    }
}
