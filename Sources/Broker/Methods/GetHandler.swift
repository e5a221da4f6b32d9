import BrokerProtocol
import Varlink
import Vault

/// `Get`: an item's secret, or one that it had before.
enum GetHandler: MethodHandler {
    static func answer(_ method: Keychain.Get, _ request: Request) async throws(Fault) -> MethodAnswer {
        let reader = ItemReader(
            service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
            choice: try WireField.decode(method.field).map(FieldChoice.one), reason: method.reason,
            mayUnlock: method.unlock ?? false,
            applicationPassword: try request.secrets.decode(applicationPassword: method.applicationPassword),
            challenge: method.challenge, version: try method.version.map(WireVersion.decode),
            forOthers: method.forOthers ?? false)
        return try await reader.read(request, for: .read) { _, item, values in
            // One field was asked for.
            .value(values[0].value, Keychain.Item(item))
        }
    }

    static func logged(_ method: Keychain.Get) -> LoggedCall? {
        LoggedCall(
            event: .read, service: method.service, account: method.account, kind: method.kind, reason: method.reason)
    }
}
