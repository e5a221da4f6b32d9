import BrokerProtocol
import Item
import Varlink
import Vault

/// `Monitor`: tells what happens in a vault, until the caller hangs up. The vault need not be open for that, so nothing
/// is asked of the TPM.
enum MonitorHandler: MethodHandler {
    static func answer(_ method: Keychain.Monitor, _ request: Request) async throws(Fault) -> MethodAnswer {
        // The call lasts, and its parameters with it. No item has a longer service.
        guard method.service?.utf8.count ?? 0 <= ItemLimits.name else {
            throw Fault(.limitExceeded, "a service has \(ItemLimits.name) bytes at most")
        }
        let (core, uid) = (request.core, request.caller.uid)
        do throws(UserBudgets.Refusal) { try core.budgets.take(1, of: .monitors, for: uid) } catch {
            switch error {
            case .ofUser(let limit):
                throw Fault(.limitExceeded, "this user has \(limit) monitors already", advice: "end one of them")
            case .ofAll(let limit):
                throw Fault(
                    .limitExceeded,
                    "the broker has room for \(limit) monitors, and keeps the last ones for users who have few",
                    advice: "try again later")
            }
        }
        let subscription = try core.vaultStore.dependencies.events.subscribe(
            to: request.admission.owner, service: method.service, kind: method.kind
        ) { [budgets = core.budgets] in budgets.give(back: 1, of: .monitors, for: uid) }
        return .stream(MonitorReplies(method, request, subscription))
    }
}
