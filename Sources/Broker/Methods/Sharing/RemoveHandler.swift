import BrokerProtocol
import Varlink
import Vault

/// `Remove`: removes machines from the circle. The person is asked each time.
enum RemoveHandler: SharingHandler {
    typealias Method = Sync.Remove

    static func reply(to method: Sync.Remove, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkDecidesUnlocked(request)
        let devices = try SharingWire.devices(method.devices)
        guard let granted = try request.redeem(method.challenge) else {
            let plan = try await request.vaultActor.sharing.removal(in: request.vaultActor, of: devices)
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let plan) = granted.request, case .remove(let statement, _, let machines) = plan.deed,
            case .removal(devices) = statement.content, let signature = granted.grant.key
        else { throw Faults.challengeRefused }
        try await request.vaultActor.sharing.remove(in: request.vaultActor, plan, signature)
        let names = machines.map(\.text).joined(separator: ", ")
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "removed: \(names)"), .anchored)
        return .reply(Nothing())
    }

    static func logged(_ method: Sync.Remove) -> LoggedCall? { LoggedCall(event: .share) }
}
