import BrokerProtocol

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
