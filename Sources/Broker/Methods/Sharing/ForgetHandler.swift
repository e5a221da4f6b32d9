import BrokerProtocol
import Varlink
import Vault

/// `Forget`: forgets a circle that this vault is no member of. Nobody is asked, because nothing is shared or lost by it.
enum ForgetHandler: SharingHandler {
    typealias Method = Sync.Forget

    static func reply(to method: Sync.Forget, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkDecidesUnlocked(request)
        try await request.vaultActor.sharing.forget(in: request.vaultActor)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(), detail: "the circle was forgotten"), .anchored)
        return .reply(Nothing())
    }

    static func logged(_ method: Sync.Forget) -> LoggedCall? { LoggedCall(event: .share) }
}
