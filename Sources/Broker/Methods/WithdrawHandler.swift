import BrokerProtocol
import Varlink
import Vault

/// `Withdraw`: takes back a request that nobody will be prompted for, so that the access log has it at once.
enum WithdrawHandler: MethodHandler {
    static func answer(_ method: Keychain.Withdraw, _ request: Request) async throws(Fault) -> MethodAnswer {
        let challenge: Challenge
        do throws(ChallengeRefusal) {
            challenge = try request.core.challenges.withdraw(
                method.challenge, by: request.caller, about: request.vaultActor.owner)
        } catch { throw Faults.challengeRefused }
        for record in AccessRecord.refusals(of: challenge, OutcomeWord.nobodyAsked) {
            await request.vaultActor.noteRefusal(record)
        }
        return .reply(Nothing())
    }
}
