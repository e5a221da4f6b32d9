import BrokerProtocol
import Varlink
import Vault

/// `Withdraw`: takes back a question that nobody will be asked, so that it is in the access log at once.
enum WithdrawHandler: MethodHandler {
    static func answer(_ method: Keychain.Withdraw, _ request: Request) async throws(Fault) -> MethodAnswer {
        let challenge: Challenge
        do throws(ChallengeRefusal) {
            challenge = try request.core.challenges.withdraw(
                method.challenge, by: request.caller, about: request.vaultActor.owner)
        } catch { throw Faults.challengeRefused }
        if let record = AccessRecord(refusing: challenge, OutcomeWord.nobodyAsked) {
            await request.vaultActor.noteRefusal(record)
        }
        return .reply(Nothing())
    }
}
