import BrokerProtocol
import Vault

/// `Lock`: when it answers, the keys are gone.
enum LockHandler: MethodHandler {
    static func answer(_ method: Keychain.Lock, _ request: Request) async throws(Fault) -> Answer {
        await request.core.shelf.lock(request.keeper.owner, by: request.program())
        return .reply(Keychain.VaultReply(vault: try await request.keeper.state()))
    }
}
