import Platform
import Testing

/// getopt keeps its state for the whole process, so one test does it all.
@Suite struct LongOptionsTests {
    /// An option that is refused may have a secret as its value. One `Character` can begin with "=" and go on.
    @Test func anOptionThatIsRefusedIsNamedWithoutItsValue() throws {
        let options = LongOptions(["config"], takingValue: ["config"])
        #expect(try options.read(["--config=\u{301}a"]).values == ["config": "\u{301}a"])
        for word in ["--bad=secret", "--bad=\u{301}secret"] {
            #expect(throws: LongOptions.Mistake.unknown("--bad")) { try options.read([word]) }
        }
        let accents = "--" + String(repeating: "\u{301}", count: 1000)
        let shown = String(accents.unicodeScalars.prefix(40))
        #expect(throws: LongOptions.Mistake.unknown(shown)) { try options.read([accents]) }
    }
}
