import BrokerProtocol
import Vault

/// `Rename`: gives an item another service and account.
enum RenameHandler: MethodHandler {
    static func answer(_ method: Keychain.Rename, _ request: Request) async throws(Fault) -> Answer {
        let program = request.program()
        let item = try await request.keeper.use { state in
            let item = try state.vault.find(service: method.service, account: method.account, includingExpired: true)
            let renamed = try state.vault.rename(item, service: method.newService, account: method.newAccount)
            let detail = "now \(method.newService) \(method.newAccount)"
            state.note(AccessRecord(.rename, by: program, of: .init(item), detail: detail))
            return renamed
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(item)))
    }
}
