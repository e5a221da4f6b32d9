import BrokerProtocol

/// What seals the vault, where that is no TPM?
enum SealerCheck: DoctorCheck {
    private static let check = Keychain.Check.sealer

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let status) = facts.status else { return [] }
        // Of a TPM the broker says more.
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
