import BrokerProtocol
import Varlink
import Vault

/// `Exists`: whether there is an item. It never prompts.
enum ExistsHandler: MethodHandler {
    static func answer(_ method: Keychain.Exists, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard request.condition != .none else { return .reply(Keychain.Exists.Reply(exists: false)) }
        do throws(Fault) {
            _ = try await request.vaultActor.use {
                try $0.vault.find(
                    service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
            }
            return .reply(Keychain.Exists.Reply(exists: true))
        } catch {
            switch error.name {
            case .notFound: return .reply(Keychain.Exists.Reply(exists: false))
            // If several items match, there is at least one.
            case .ambiguous: return .reply(Keychain.Exists.Reply(exists: true))
            default: throw error
            }
        }
    }
}
