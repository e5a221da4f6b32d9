import BrokerProtocol
import Varlink
import Vault

/// `Show`: everything about an item but its secret.
enum ShowHandler: MethodHandler {
    static func answer(_ method: Keychain.Show, _ request: Request) async throws(Fault) -> MethodAnswer {
        let item = try await request.vaultActor.use {
            try $0.vault.find(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
                includingExpired: true)
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(item)))
    }
}
