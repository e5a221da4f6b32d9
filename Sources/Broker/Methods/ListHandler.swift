import BrokerProtocol
import Varlink
import Vault

/// `List`: all items, or those of one service, without their secrets.
enum ListHandler: MethodHandler {
    static func answer(_ method: Keychain.List, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard request.condition != .none else { return .items([]) }
        return .items(
            try await request.vaultActor.use {
                try $0.vault.list(service: method.service, kind: WireKind.filter(method.kind)).map { Keychain.Item($0) }
            })
    }
}
