import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// `GetAll`: the secrets of several items, all or none.
enum GetAllHandler: MethodHandler {
    static func answer(_ method: Keychain.GetAll, _ request: Request) async throws(Fault) -> MethodAnswer {
        let reader = JointReader(
            names: method.items, reason: method.reason, mayUnlock: method.unlock ?? false, challenge: method.challenge,
            forOthers: method.forOthers ?? false)
        return .values(try await reader.read(request))
    }

    static func refusals(of method: Keychain.GetAll) -> [LoggedCall] {
        method.items.prefix(JointReadLimits.items).map {
            LoggedCall(
                event: .read, service: $0.service, account: $0.account, kind: $0.kind, reason: method.reason)
        }
    }
}

/// An item that was read, with its secret.
struct OpenedItem: Sendable {
    let value: SecretBytes
    let item: ItemSummary
    let field: FieldName

    static let tooMuch = Fault(
        .limitExceeded, "these items do not fit into one answer", advice: "read fewer items at once")
}
