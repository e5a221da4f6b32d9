import BrokerProtocol
import Varlink
import Vault

/// `SetAsideVault`: root moves a vault that this machine no longer opens out of the way. Only root is admitted.
enum SetAsideVaultHandler: MethodHandler {
    static func answer(_ method: Keychain.SetAsideVault, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard request.condition != .none else { throw Fault(.notFound, "there is no such vault") }
        let vaultActor = request.vaultActor
        if method.force != true { try await VaultSettingAside.requireUseless(vaultActor) }
        // The keys of the vault, and of groups' vaults that it kept open, are wiped first.
        await request.core.vaultStore.lock(vaultActor.owner, by: request.program())
        let (stamp, file) = try await vaultActor.settingAside.perform(in: vaultActor)
        return .reply(
            Keychain.SetAsideVault.Reply(owner: vaultActor.owner.text, stamp: stamp, file: file))
    }
}
