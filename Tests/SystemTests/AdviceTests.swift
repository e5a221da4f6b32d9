import Foundation
import Testing

/// An error's message and advice reach the command line as fields, whichever tier they come from.
@Suite struct AdviceTests {
    private struct Report: Decodable, Equatable {
        var code: String
        var message: String
        var advice: String?
    }

    private func report(_ outcome: Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.errors.utf8))
    }

    @Test func eachTierHasItsOwn() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("set", "a", "b", "--attribute", "caf\u{E9}=1", input: [1]).code == 0)

        let vault = try sandbox.coffer("edit", "a", "b", "--attribute", "cafe\u{301}=2")
        #expect(vault.code == 64, "\(vault)")
        #expect(
            vault.errors
                == "coffer: the item has this attribute in another Unicode spelling; use the item's spelling\n")

        #expect(try sandbox.coffer("lock").code == 0)
        let wire = try sandbox.coffer("get", "a", "b", "--json")
        #expect(wire.code == 5, "\(wire)")
        #expect(
            try report(wire)
                == Report(code: "locked", message: "your vault is locked", advice: "open it with: coffer unlock"))

        try sandbox.tpm("tpm2_clear", "-c", "p")
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        let tpm = try sandbox.coffer("get", "a", "b", "--json")
        #expect(tpm.code == 8, "\(tpm)")
        #expect(
            try report(tpm)
                == Report(
                    code: "tpm-replaced",
                    message:
                        "the TPM was cleared or replaced: it no longer holds the key that this vault was made with",
                    advice: "if the vault is still open, save what it has before it is locked and before cofferd is "
                        + "restarted, with coffer export --passphrase --skip-unreadable --output FILE and coffer get; "
                        + "then have root set the vault aside with: coffer vault set-aside --user NAME; "
                        + "then restore the secrets with: coffer recovery restore FILE"))
    }
}
