import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

/// Steps that a person at a terminal confirms, because they can cost secrets. Everything but a yes is a no.
@Suite struct ConfirmationTests {
    private static let answers: [(String, Int32)] = [("\r", 1), ("n\r", 1), ("y\r", 0)]

    /// After a tie, a boot that was not approved needs the recovery code.
    @Test(arguments: answers) func aVaultIsTiedToTheBootAfterAYes(typed: String, status: Int32) throws {
        let coverage = Keychain.BootCoverage(
            registers: [4, 7, 9], commandLine: .held, initrd: .held, changesWithMenu: false)
        let fixture = try FakeCoffer(broker: [
            "Boot": [.answer(Keychain.BootReply())],
            "TieCoverage": [.answer(Keychain.TieCoverage.Reply(coverage: coverage))],
            "TieToBoot": [.answer(Keychain.BootReply())],
        ])
        let result = try fixture.program.run(
            "boot", "bind", input: .terminal, turns: [.init(wait: "Tie it? [y/N] ", type: typed)])
        #expect(result.status == status && result.screen.contains("Tie it? [y/N] "), "\(result)")
        #expect(fixture.broker.calls("TieToBoot").count == (status == 0 ? 1 : 0))
    }

    /// The secrets of class passcode-set are gone for good then.
    @Test(arguments: answers) func aVaultIsUnboundAfterAYes(typed: String, status: Int32) throws {
        var item = FakeCoffer.item()
        item.access = .passcodeSet
        let bound = Keychain.Status.Reply(
            vault: .init(state: .unlocked, bound: true), sealer: .init(kind: "tpm"), version: "1", sandbox: false,
            warnings: [])
        let fixture = try FakeCoffer(broker: [
            "Status": [.answer(bound)], "List": [.answer(Keychain.ItemsReply(items: [item]))],
            "Unlock": [.answer(Keychain.VaultReply(vault: .init(state: .unlocked)))],
        ])
        let result = try fixture.program.run(
            "unlock", "--unbind", input: .terminal, turns: [.init(wait: "Unbind and destroy? [y/N] ", type: typed)])
        #expect(result.status == status && result.errors.contains("github/me"), "\(result)")
        let calls = try fixture.broker.calls("Unlock").map { try $0.parameters(Keychain.Unlock.self)?.bind }
        #expect(calls == (status == 0 ? [false] : []))
    }
}
