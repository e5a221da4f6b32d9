import BrokerProtocol

/// Would Coffer notice an older copy of the vault's file?
enum RollbackCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard let record = facts.record else { return [] }
        if case .failure(let fault) = facts.vault, fault.details.kind == Keychain.rollback {
            return [Keychain.Finding(.rollback, .problem, fault.details.message ?? "the vault's file is an older copy")]
        }
        guard let counter = record.counter else {
            return [
                Keychain.Finding(
                    .rollback, .note,
                    "rollback protection is off: without a TPM, an older copy of the vault's file is not noticed"
                )
            ]
        }
        // If the vault could not be read, nothing is known about its age.
        guard case .success = facts.vault else { return [] }
        return [
            Keychain.Finding(
                .rollback, .ok,
                "the vault's file is the one that the TPM has counted (counter at 0x\(String(counter.handle, radix: 16)))"
            )
        ]
    }
}
