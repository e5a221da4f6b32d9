/// All checks. Each comes after those that it depends on.
enum Doctor {
    static let checks: [any DoctorCheck.Type] = [
        BrokerCheck.self, AuthenticatorCheck.self, SealerCheck.self, VaultCheck.self,
        RecoveryCheck.self,
        BrokersFindings.self,
        BiometryCheck.self, FingersCheck.self,
    ]

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] { checks.flatMap { $0.findings(facts) } }
}
