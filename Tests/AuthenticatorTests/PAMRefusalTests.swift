import BrokerProtocol
import Testing
import Varlink

@testable import Authenticator
@testable import PAM

/// What a client and the broker are told of PAM's refusals.
struct PAMRefusalTests {
    private func refusal(_ code: PAMError.Code, rawCode: Int32 = 7) -> ConversationError {
        ConversationError(PAMError(code, rawCode: rawCode, call: .authenticate, reason: "no", advice: "wait"))
    }

    @Test func eachRefusalOfAPersonHasItsReason() {
        for (code, reason) in [
            (PAMError.Code.wrongPassword, "password"), (.accountExpired, "expired"), (.newPasswordRequired, "expired"),
            (.denied, "denied"), (.tooManyTries, "tries"),
        ] {
            let (error, details) = (refusal(code), refusal(code).fault?.details)
            #expect(error.fault?.name == .authenticationFailed && error.reason == reason, "\(code)")
            #expect(details?.reason == reason && details?.message == "no" && details?.advice == "wait", "\(code)")
        }
        #expect(refusal(.cancelled) == .cancelled && refusal(.timedOut) == .timedOut && refusal(.gone) == .gone)
    }

    /// PAM's number is there if PAM was asked.
    @Test func whatIsNotSetUpHasItsCause() {
        for (code, reason) in [(PAMError.Code.unavailable, "unavailable"), (.misconfigured, "other")] {
            for (number, cause) in [(7, "pam 7"), (0, nil)] as [(Int32, String?)] {
                let error = refusal(code, rawCode: number)
                #expect(error.fault?.name == .authenticationMisconfigured && error.reason == reason, "\(code)")
                #expect(error.fault?.details.cause == cause, "\(code) \(number)")
            }
        }
    }
}
