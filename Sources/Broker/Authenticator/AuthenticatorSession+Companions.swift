import Authorization
import BrokerProtocol
import Cryptography
import Varlink

extension AuthenticatorSession {
    /// The other requests of the same process that wait for an answer, so that one prompt can show all of them. The
    /// reply names their challenges only by digest.
    func companions(_ method: BrokerInterface.Companions) throws(Fault) -> MethodAnswer {
        let found: [Challenge]
        do throws(ChallengeRefusal) {
            found = try core.challenges.companions(method.challenge, connection: caller.connection)
        } catch { throw Self.refusal }
        var companions: [BrokerInterface.Companion] = []
        for challenge in found {
            let digest: [UInt8]
            do throws(CryptographyError) { digest = try SHA256.digest(Array(challenge.id.utf8)) } catch {
                throw Fault(.brokerFailed, "The challenge cannot be digested: \(error.reason).")
            }
            companions.append(
                BrokerInterface.Companion(
                    digest: Hex.encode(digest), service: challenge.subject?.service,
                    account: challenge.subject?.account, reason: challenge.reason))
        }
        return .reply(BrokerInterface.Companions.Reply(companions: companions))
    }
}
