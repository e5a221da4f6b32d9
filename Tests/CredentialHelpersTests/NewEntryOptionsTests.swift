import Coffer
import Testing

@testable import CredentialHelpers

/// What the two programs take for new entries.
@Suite struct NewEntryOptionsTests {
    private func isRefused(_ words: [String]) -> Bool {
        // `try?`: the parser's errors are of several types.
        (try? NewEntryOptions.parse(words)) == nil
    }

    @Test func withoutOptionsNothingIsAskedFor() throws {
        let options = try NewEntryOptions.parse([])
        #expect(try options.newAccess == nil && options.vault == .own)
    }

    @Test func eachOptionCountsByItself() throws {
        func access(_ words: String...) throws -> AccessControl? { try NewEntryOptions.parse(words).newAccess }
        #expect(try access("--access", "always") == AccessControl.always)
        #expect(try access("--this-device-only") == AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        #expect(try access("--require", "presence") == AccessControl.whenUnlocked.requiring(.userPresence))
        let both = try access("--require", "presence", "--require", "biometry", "--any")
        #expect(
            try both
                == AccessControl(
                    .whenUnlocked, isThisDeviceOnly: false, requirements: [.userPresence, .biometryAny],
                    anyIsEnough: true))
    }

    @Test(arguments: [
        ["--any"], ["--any", "--require", "presence"], ["--require", "presence", "--require", "presence"],
        ["--require", "application-password"], ["--require", ""], ["--access", "never"], ["--group", ""],
        ["--group", "\u{FFFD}"], ["--group", String(repeating: "g", count: 257)],
    ])
    func theseAreRefused(words: [String]) {
        #expect(isRefused(words))
    }

    @Test func aGroupHasAVaultOfItsOwn() throws {
        let longest = String(repeating: "g", count: 256)
        for name in ["g", longest] { #expect(try NewEntryOptions.parse(["--group", name]).vault == .group(name)) }
    }
}
