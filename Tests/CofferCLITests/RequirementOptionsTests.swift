import ArgumentParser
import Coffer
import Testing

@testable import CredentialHelpers
@testable import coffer_cli

/// `coffer set`, `git-credential-coffer` and `docker-credential-coffer` refuse the same requirements in the same words.
@Suite struct RequirementOptionsTests {
    private func refusal(_ parse: () throws -> Void) -> String? {
        do {
            try parse()
            return nil
        } catch let error as KeychainError { return error.description } catch {
            return AccessChangeOptions.message(for: error)
        }
    }

    @Test(arguments: [
        (["--any"], "--any needs two or more --require"),
        (["--any", "--require", "presence"], "--any needs two or more --require"),
        (["--require", "presence", "--require", "presence"], "--require names a factor twice"),
        (["--any", "--require", "passcode", "--require", "passcode"], "--require names a factor twice"),
        (
            ["--require", "biometry", "--require", "biometry-current-set"],
            "“biometry” and “biometry-current-set” exclude each other; name one of them"
        ),
        (
            ["--any", "--require", "biometry-current-set", "--require", "biometry"],
            "“biometry” and “biometry-current-set” exclude each other; name one of them"
        ),
    ])
    func refusedAlike(arguments: [String], words: String) {
        #expect(refusal { _ = try AccessChangeOptions.parse(arguments).applied(to: .whenUnlocked) } == words)
        #expect(refusal { _ = try NewEntryOptions.parse(arguments) } == words)
    }

    @Test(arguments: [
        [], ["--require", "presence"], ["--require", "passcode", "--require", "presence", "--any"],
        ["--access", "always", "--require", "biometry"], ["--this-device-only"],
    ])
    func takenAlike(arguments: [String]) throws {
        let item = try AccessChangeOptions.parse(arguments).applied(to: .whenUnlocked)
        #expect(try NewEntryOptions.parse(arguments).newAccess ?? .whenUnlocked == item)
    }

    @Test func textIsCheckedAlike() {
        let long = String(repeating: "x", count: 257)
        for arguments in [["--group", long], ["--group", "a\u{FFFD}"], ["--group", ""]] {
            let words = refusal { _ = try VaultOptions.parse(arguments) }
            #expect(words != nil && words == refusal { _ = try NewEntryOptions.parse(arguments) })
        }
    }
}
