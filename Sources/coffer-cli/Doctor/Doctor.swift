/// All checks, in the order in which one makes the next possible.
enum Doctor {
    static let checks: [any DoctorCheck.Type] = [
        BrokerCheck.self, AuthenticatorCheck.self, SealerCheck.self, VaultCheck.self,
        RecoveryCheck.self,
        BrokersFindings.self,
        BiometryCheck.self, FingersCheck.self,
    ]

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] { checks.flatMap { $0.findings(facts) } }
}
