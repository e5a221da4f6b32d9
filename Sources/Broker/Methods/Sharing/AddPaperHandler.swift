import BrokerProtocol
import Varlink
import Vault

/// `AddPaper`: adds a code on paper. The person is asked, and the authenticator compares the code, which is not known here.
enum AddPaperHandler: SharingHandler {
    typealias Method = Sync.AddPaper

    static func reply(to method: Sync.AddPaper, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkPersons(request)
        let keys = try SharingWire.paper(method.keys)
        guard let granted = try request.redeem(method.challenge) else {
            let plan = try await request.vaultActor.sharing.paper(in: request.vaultActor, keys)
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let plan) = granted.request, case .paper(_, _, keys) = plan.deed,
            let signature = granted.grant.key
        else { throw Faults.challengeRefused }
        try await request.vaultActor.sharing.addPaper(in: request.vaultActor, plan, signature)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "a code on paper was added"), .anchored)
        return .reply(Nothing())
    }

    static func logged(_ method: Sync.AddPaper) -> LoggedCall? { LoggedCall(event: .share) }
}
