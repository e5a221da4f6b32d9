import BrokerProtocol
import Varlink
import Vault

/// `AcceptVault`: root accepts a file that the TPM has not counted as the newest one. The owner must consent. Only
/// root is admitted; the authenticator verifies root itself and asks the owner.
enum AcceptVaultHandler: MethodHandler {
    static func answer(_ method: Keychain.AcceptVault, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard let granted = try request.redeem(method.challenge) else {
            guard request.condition != .none else { throw Fault(.notFound, "there is no such vault") }
            try await request.vaultActor.rollback.requireRollback(in: request.vaultActor)
            let vault = try await request.vaultActor.vaultID()
            throw try request.ask(for: .vault(.accept), vault: vault)
        }
        guard granted.request.kind == .accept else { throw Faults.challengeRefused }
        try await request.vaultActor.rollback.accept(in: request.vaultActor, by: request.program(granted))
        return .reply(Keychain.VaultReply(vault: try await request.vaultActor.state()))
    }

    static func logged(_ method: Keychain.AcceptVault) -> LoggedCall? { LoggedCall(event: .accept) }
}
