import Coffer
import FoundationEssentials
import HelperProtocol

/// A one-time password and its time.
struct OneTimePassword {
    let code: String
    /// For how many seconds it is still good.
    let secondsLeft: Int

    /// Computes the password of a moment, in seconds since 1970.
    static func make(_ seed: OneTimeSeed, at seconds: Int64) throws(KeychainError) -> OneTimePassword {
        let period = Int64(seed.period)
        guard seconds >= 0 else { throw KeychainError(.invalidArgument, "there are no one-time passwords before 1970") }
        var helper = try HelperConversation([Helper.oneTimePassword])
        let request = OneTimePasswordRequest(
            algorithm: seed.algorithm, digits: seed.digits, counter: UInt64(seconds / period),
            seed: Data(seed.bytes).base64EncodedString())
        let answer: OneTimePasswordAnswer
        do {
            answer = try helper.ask(Array(JSONEncoder().encode(request)), limit: HelperLimits.oneTimePassword)
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.failed, "the one-time password could not be computed")
        }
        guard let code = answer.code else {
            throw KeychainError(
                .failed, "the one-time password could not be computed",
                advice: "install coffer and cofferd of the same version")
        }
        return OneTimePassword(code: code, secondsLeft: Int(period - seconds % period))
    }
}
