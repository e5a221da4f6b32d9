import BrokerProtocol

/// Checks whether the authenticator answers and runs as root.
enum AuthenticatorCheck: DoctorCheck {
    private static let check = Keychain.Check.authenticator

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        switch facts.biometry {
        case .failure(let error): [DoctorFinding(check, error)]
        // The client checked that the authenticator can be trusted before asking it.
        case .success: [answering(facts)]
        }
    }

    /// The kernel gives the authenticator's user. Only the broker knows whether this is a sandbox.
    private static func answering(_ facts: DoctorFacts) -> DoctorFinding {
        let isSandbox = if case .success(let status) = facts.status { status.sandbox } else { false }
        var message = "the authenticator answers" + (isSandbox ? ", in a sandbox" : "")
        guard facts.authenticatorUser == 0 else {
            message +=
                ", but runs as \(facts.authenticatorUser.map { "uid \($0)" } ?? "an unknown user") and not as root"
            return DoctorFinding(
                check: check, verdict: isSandbox ? .ok : .note, message: message,
                advice: isSandbox
                    ? nil
                    : "check COFFER_SOCKET and COFFER_AUTH_SOCKET: only a sandbox's authenticator may run as another user"
            )
        }
        return DoctorFinding(check: check, verdict: .ok, message: message + (isSandbox ? "" : ", and runs as root"))
    }
}
