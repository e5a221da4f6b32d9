import BrokerProtocol

/// Checks whether the secrets can be recovered if this machine or its TPM is lost.
enum RecoveryCheck: DoctorCheck {
    private static let check = Keychain.Check.recovery

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        // Without a vault there is nothing to lose. A vault that was not read yet gives no recovery state.
        guard case .success(let status) = facts.status, status.vault.state != .none,
            let recovery = status.recovery
        else {
            return []
        }
        guard let made = recovery.made else {
            return [
                DoctorFinding(
                    check: check, verdict: .note,
                    message:
                        "there is no recovery code: if this machine or its TPM is lost, so are the secrets",
                    advice: "make one with: coffer recovery new")
            ]
        }
        return [
            DoctorFinding(
                check: check, verdict: .ok, message: "a recovery code was made on \(TimeText(made).day)")
        ]
    }
}
