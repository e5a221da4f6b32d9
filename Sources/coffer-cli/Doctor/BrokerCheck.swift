import BrokerProtocol
import Coffer

/// Checks whether the broker answers, and shows its warnings.
enum BrokerCheck: DoctorCheck {
    private static let check = Keychain.Check.broker

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        switch facts.status {
        case .failure(let error):
            // If the broker answers the other question, only the vault is at fault, and the broker's findings name that.
            guard case .success(let reply) = facts.diagnosis else { return [DoctorFinding(check, error)] }
            let answers = DoctorFinding(check: check, verdict: .ok, message: "the broker answers")
            return reply.findings.contains { $0.verdict == .problem }
                ? [answers] : [answers, DoctorFinding(.vault, error)]
        case .success(let status):
            let version = VisibleText.line(status.version)
            let isSame = status.version == ProductVersion.current
            let broker = DoctorFinding(
                check: check, verdict: isSame ? .ok : .problem, message: "the broker answers: cofferd \(version)",
                advice: isSame ? nil : "install coffer and cofferd of the same version")
            return [broker]
                + status.warnings.map {
                    DoctorFinding(check: .warning, verdict: .note, message: VisibleText.sentence($0))
                }
        }
    }
}

/// Reports a sealer that is no TPM.
enum SealerCheck: DoctorCheck {
    private static let check = Keychain.Check.sealer

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let status) = facts.status else { return [] }
        // The broker's own findings tell more about a TPM.
        guard status.sealer.kind == "tpm" else {
            return [
                DoctorFinding(
                    check: check, verdict: .note,
                    message: "sealed by software only, no TPM: anyone who has the disk has the secrets")
            ]
        }
        return []
    }
}
