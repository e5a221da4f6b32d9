import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `CreateVault`: root has the vault of an account made that nobody can be asked for. The authenticator makes sure of root by itself.
enum CreateVaultHandler: MethodHandler {
    static func answer(_ method: Keychain.CreateVault, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let state = try await request.vaultActor.state()
        if granted != nil { return .reply(Keychain.VaultReply(vault: state)) }
        guard state.state == .none else {
            throw Fault(.alreadyExists, "“\(method.owner)” has a vault already; it stays as it is.")
        }
        throw try await request.creationRequired()
    }
}
