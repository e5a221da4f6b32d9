import BrokerProtocol
import Coffer

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

/// One check of `coffer doctor`. Each has a file of its own; `Doctor` puts them in order.
protocol DoctorCheck: SendableMetatype {
    /// - Returns: nothing if an earlier check has already said why this one is impossible.
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding]
}

/// The broker's own findings, which only it can make.
enum BrokersFindings: DoctorCheck {
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        // BrokerCheck has reported a broker that does not answer.
        guard case .success = facts.status else { return [] }
        switch facts.diagnosis {
        case .failure(let error): return [DoctorFinding(.verification, error)]
        case .success(let reply): return reply.findings.map(DoctorFinding.init)
        }
    }
}
