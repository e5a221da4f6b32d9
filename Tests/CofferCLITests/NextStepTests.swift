import BrokerProtocol
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// `coffer` alone names the command that comes next.
@Suite struct NextStepTests {
    private func status(_ state: Wire.VaultState.State, items: Int64? = nil, recovery: Bool? = nil)
        -> Wire.Status.Reply
    {
        Wire.Status.Reply(
            vault: .init(state: state, items: items), sealer: .init(kind: "tpm"), version: "1", sandbox: false,
            locks: [],
            warnings: [],
            recovery: recovery.map { .init(made: $0 ? 1_700_000_000_000 : nil) })
    }

    /// The commands among the lines, which are indented.
    private func commands(_ status: Result<Wire.Status.Reply, KeychainError>, runsUnits: Bool = true) -> [String] {
        NextStep.lines(status, runsUnits: runsUnits).filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }

    @Test func aVaultIsMadeThenOpenedThenFilledThenMadeSafe() {
        #expect(commands(.success(status(.none))) == ["coffer set github me", "coffer recovery new"])
        for state in [Wire.VaultState.State.sealed, .locked] {
            #expect(commands(.success(status(state, items: 3))) == ["coffer unlock", "coffer list"])
        }
        #expect(commands(.success(status(.unlocked, items: 0, recovery: false))) == ["coffer set github me"])
        #expect(
            commands(.success(status(.unlocked, items: 3, recovery: false))) == [
                "coffer list", "coffer get SERVICE ACCOUNT", "coffer recovery new",
            ])
        #expect(
            commands(.success(status(.unlocked, items: 3, recovery: true))) == [
                "coffer list", "coffer get SERVICE ACCOUNT",
            ])
    }

    @Test func withoutABrokerItSaysHowOneIsStarted() {
        let gone = KeychainError(.brokerUnreachable, "the broker is not running")
        #expect(commands(.failure(gone)).first == "systemctl enable --now cofferd.socket coffer-authenticator.socket")
        #expect(
            commands(.failure(gone), runsUnits: false) == [
                "coffer run --file KEY=coffer://ci/token -- sh -c 'podman run -i IMAGE <\"$KEY\"'"
            ])
        #expect(NextStep.lines(.failure(gone), runsUnits: false).contains { $0.contains("scripts/sandbox start DIR") })
    }

    @Test func anotherErrorKeepsItsOwnAdvice() {
        let error = KeychainError(.tpmUnavailable, "the TPM does not answer", advice: "check /dev/tpmrm0")
        #expect(
            NextStep.lines(.failure(error), runsUnits: true).prefix(2) == [
                "the TPM does not answer", "check /dev/tpmrm0",
            ])
    }

    @Test func whatABrokerSaysCannotDriveTheTerminal() {
        var reply = status(.unlocked, items: 1)
        reply.warnings = ["bad\u{1B}[2J\nnews"]
        let lines = NextStep.lines(.success(reply), runsUnits: true)
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\n") })
    }

    @Test func itsExitStatusIsTheErrors() throws {
        let scratch = try Scratch()
        var program = Program(scratch: scratch)
        program.environment["COFFER_SOCKET"] = scratch.path + "/nowhere.sock"
        let result = try program.run([], input: .bytes([]), output: .file)
        #expect(result.status == 9 && result.text.contains("coffer doctor"))
    }
}
