import BrokerProtocol
import Coffer

/// What only the broker can see, as it says it.
enum BrokersFindings: DoctorCheck {
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        // A broker that does not answer has been reported.
        guard case .success = facts.status else { return [] }
        switch facts.diagnosis {
        case .failure(let error): return [DoctorFinding(.verification, error)]
        case .success(let reply): return reply.findings.map(DoctorFinding.init)
        }
    }
}
