import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// The offer of a recovery code with the first vault, by a fake broker that knows the code.
@Suite struct RecoveryOfferTests {
    private static func status(_ state: Keychain.VaultState.State, made: Int64? = nil) -> FakeServer.Step {
        .answer(
            Keychain.Status.Reply(
                vault: .init(state: state), sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false, warnings: [],
                recovery: .init(made: made)))
    }

    private static var password: Program.Turn { .init(wait: "Password: ", type: "x\r") }

    private func fixture(_ statuses: [FakeServer.Step]) throws -> FakeCoffer {
        try FakeCoffer(
            broker: [
                "Status": statuses,
                "Unlock": [
                    FakeCoffer.personNeeded([.create]),
                    .answer(Keychain.VaultReply(vault: .init(state: .unlocked))),
                ],
                "NewRecoveryCode": [
                    FakeCoffer.personNeeded([.recovery]),
                    .answer(Keychain.NewRecoveryCode.Reply(code: "AAAAA-BBBBB", part: 2)),
                ],
                "ConfirmRecoveryCode": [.answer(Keychain.ConfirmRecoveryCode.Reply(made: 1_700_000_000_000))],
            ], authenticator: FakeCoffer.asksPassword)
    }

    /// `coffer` with all of its streams on a terminal.
    private func run(_ fixture: FakeCoffer, _ command: String, _ turns: [Program.Turn]) throws -> Program.Result {
        var shell = fixture.program
        shell.executable = "/bin/sh"
        return try shell.run(
            "-c", "\(Program.path) \(command) 2>&1", input: .terminal, output: .terminal, turns: turns)
    }

    @Test func theCodeThatIsWantedIsMadeAndConfirmed() throws {
        let fixture = try fixture([Self.status(.none), Self.status(.unlocked)])
        let result = try run(
            fixture, "unlock",
            [
                Self.password, .init(wait: "[y/N] ", type: "Yes\r"), Self.password,
                .init(wait: "Group 2 of the code: ", type: "BBBBB\r"),
            ])
        #expect(result.status == 0 && result.screen.contains("    AAAAA-BBBBB"), "\(result.screen)")
        let confirmed = try fixture.broker.calls("ConfirmRecoveryCode").map {
            try $0.parameters(Keychain.ConfirmRecoveryCode.self)?.characters
        }
        #expect(confirmed == ["BBBBB"])
    }

    /// Enter, another word, and Ctrl-C. The vault is made, so the command has done what it was for.
    @Test(arguments: ["\r", "no\r", "yess\r", "\u{3}"])
    func everythingElseIsNo(answer: String) throws {
        let fixture = try fixture([Self.status(.none), Self.status(.unlocked)])
        let result = try run(fixture, "unlock", [Self.password, .init(wait: "[y/N] ", type: answer)])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains("You can make one later with: coffer recovery new"), "\(result.screen)")
        #expect(fixture.broker.calls("NewRecoveryCode").isEmpty)
    }

    @Test func whatCannotBeMadeNowIsSaidAndEndsNothing() throws {
        let fixture = try fixture([Self.status(.none), Self.status(.unlocked)])
        let result = try run(
            fixture, "unlock",
            [Self.password, .init(wait: "[y/N] ", type: "y\r"), .init(wait: "Password: ", type: "\u{3}")])
        #expect(result.status == 0, "\(result.screen)")
        #expect(
            result.screen.contains("coffer: cancelled. You can make one later with: coffer recovery new"),
            "\(result.screen)")
    }

    @Test(arguments: [
        // Not with a vault that is there already, and not if another program has made a code meanwhile.
        ("unlock", [Self.status(.sealed)]),
        ("unlock", [Self.status(.none), Self.status(.unlocked, made: 1_700_000_000_000)]),
        ("unlock --quiet", [Self.status(.none), Self.status(.unlocked)]),
        ("unlock | cat", [Self.status(.none), Self.status(.unlocked)]),
        ("unlock </dev/null", [Self.status(.none), Self.status(.unlocked)]),
    ])
    func nobodyIsAskedOtherwise(command: String, statuses: [FakeServer.Step]) throws {
        let fixture = try fixture(statuses)
        let result = try run(fixture, command, [Self.password])
        #expect(result.status == 0 && !result.screen.contains("[y/N]"), "\(result.screen)")
        #expect(fixture.broker.calls("NewRecoveryCode").isEmpty)
    }
}
