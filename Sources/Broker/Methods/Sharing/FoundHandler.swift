import Authorization
import BrokerProtocol
import Circle
import Varlink
import Vault

/// `Found`: begins a circle. The person is asked each time.
enum FoundHandler: SharingHandler {
    typealias Method = Sync.Found

    static func reply(to method: Sync.Found, _ request: Request) async throws(Fault) -> MethodAnswer {
        let name = try SharingWire.name(method.name)
        try await SharingPrecondition.checkMade(request)
        // Consent to making the vault is none to sharing it.
        guard let granted = try request.redeem(method.challenge), granted.request.kind != .create else {
            let plan = try await request.vaultActor.sharing.founding(in: request.vaultActor, name)
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let plan) = granted.request, let signature = granted.grant.key else {
            throw Faults.challengeRefused
        }
        let circle = try await request.vaultActor.sharing.found(in: request.vaultActor, plan, signature)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "a circle was begun"), .anchored)
        return .reply(Sync.Found.Reply(circle: Hex.encode(circle.bytes)))
    }

    static func logged(_ method: Sync.Found) -> LoggedCall? { LoggedCall(event: .share) }
}
