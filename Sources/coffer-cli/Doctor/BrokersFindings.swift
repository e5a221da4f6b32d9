import BrokerProtocol
import Coffer

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
