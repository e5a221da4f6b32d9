import BrokerProtocol
import Coffer

/// Checks the vault's state, and whether its items can be listed.
enum VaultCheck: DoctorCheck {
    private static let check = Keychain.Check.vault

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let status) = facts.status else { return [] }
        let state: DoctorFinding =
            switch status.vault.state {
            case .none:
                DoctorFinding(
                    check: check, verdict: .note, message: "there is no vault yet",
                    advice: Self.making(facts.vault))
            case .sealed, .locked:
                DoctorFinding(
                    check: check, verdict: .ok, message: "the vault is \(status.vault.state.rawValue)",
                    advice: StatusText.opening(status.vault, facts.vault))
            case .unlocked: DoctorFinding(check: check, verdict: .ok, message: "the vault is unlocked")
            }
        guard case .failure(let error) = facts.items, !isOfTPM(error, facts) else { return [state] }
        return [state, DoctorFinding(check, error)]
    }

    /// Root makes a service's vault, so that nobody else begins one in its place.
    private static func making(_ vault: VaultOptions?) -> String {
        guard let user = vault?.user else { return "make one with: coffer unlock" }
        return "make one with: \(ShellText.command(["coffer", "vault", "create", "--owner", user]))"
    }

    /// Whether the broker has reported the same failure of the TPM.
    private static func isOfTPM(_ error: KeychainError, _ facts: DoctorFacts) -> Bool {
        guard ExitStatus(error.code) == .tpm, case .success(let reply) = facts.diagnosis else {
            return false
        }
        return reply.findings.contains {
            $0.check == Keychain.Check.tpm.rawValue && $0.verdict == .problem
        }
    }
}

/// Checks whether the secrets can be recovered if this machine or its TPM is lost.
enum RecoveryCheck: DoctorCheck {
    private static let check = Keychain.Check.recovery

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        // Without a vault there is nothing to lose. A vault that was not read yet gives no recovery state.
        // A code is for a person's own vault.
        guard facts.vault == nil, case .success(let status) = facts.status, status.vault.state != .none,
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
