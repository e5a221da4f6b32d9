import BrokerProtocol
import Varlink
import Vault

/// `Lock`: when it answers, the keys are gone. If the vault had keys, it waits for none of the vault's other calls,
/// neither to wipe nor to answer.
enum LockHandler: MethodHandler {
    static func answer(_ method: Keychain.Lock, _ request: Request) async throws(Fault) -> MethodAnswer {
        await request.core.vaultStore.lock(request.vaultActor.owner, by: request.program())
        if let state = try request.vaultActor.lockedState() { return .reply(Keychain.VaultReply(vault: state)) }
        return .reply(Keychain.VaultReply(vault: try await request.vaultActor.state()))
    }
}
