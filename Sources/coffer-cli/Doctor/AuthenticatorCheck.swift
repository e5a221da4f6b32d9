import BrokerProtocol

/// Is the authenticator there, and is it root's?
enum AuthenticatorCheck: DoctorCheck {
    private static let check = Keychain.Check.authenticator

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        switch facts.biometry {
        case .failure(let error): [DoctorFinding(check, error)]
        // Whose it is was checked before it was asked.
        case .success: [DoctorFinding(check: check, verdict: .ok, message: "the authenticator answers\(whose(facts))")]
        }
    }

    private static func whose(_ facts: DoctorFacts) -> String {
        if case .success(let status) = facts.status, status.sandbox {
            ", as a sandbox's does"
        } else {
            ", and is root's"
        }
    }
}
