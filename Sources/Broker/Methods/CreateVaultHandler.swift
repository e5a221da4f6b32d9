import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `CreateVault`: root makes a vault for an account for which nobody can be prompted. The authenticator verifies root
/// itself.
enum CreateVaultHandler: MethodHandler {
    static func answer(_ method: Keychain.CreateVault, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        let state = try await request.vaultActor.state()
        if granted != nil { return .reply(Keychain.VaultReply(vault: state)) }
        guard state.state == .none else {
            throw Fault(.alreadyExists, "“\(method.owner)” has a vault already", advice: "it stays as it is")
        }
        throw try await request.creationRequired()
    }
}
