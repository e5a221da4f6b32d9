import BrokerProtocol
import Platform
import Varlink
import Vault

/// Are the whole vault and the whole access log present and unchanged?
enum VerificationCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        switch facts.vault {
        case nil: return []
        // RollbackCheck has reported this, with other advice.
        case .failure(let fault) where fault.details.kind == Keychain.rollback: return []
        // FilesCheck has reported this.
        case .failure(let fault) where fault.details.kind == Keychain.missing: return []
        // TPMCheck reports what is wrong with the TPM.
        case .failure(let fault) where fault.name == .tpm && facts.isTPMFailing: return []
        // FilesCheck reports these two.
        case .failure where facts.isTorn || isNoFile(facts): return []
        case .failure(let fault) where fault.name == .failed && isReadOnly(facts): return []
        // All other items can be used, so nobody need restore a backup.
        case .failure(let fault) where fault.details.kind == Keychain.damagedItem:
            let words = fault.details.message ?? "an item is damaged"
            return [Keychain.Finding(.verification, .problem, words, advice: fault.details.advice)]
        case .failure(let fault): return [failure(fault)]
        case .success(let checkup): return [rows(checkup), log(checkup)]
        }
    }

    private static func failure(_ fault: Fault) -> Keychain.Finding {
        let words = fault.details.message ?? "the vault cannot be opened"
        let advice = fault.details.advice.flatMap { $0.isEmpty ? nil : $0 }
        return fault.name == .damaged
            ? Keychain.Finding(
                .verification, .problem, words,
                advice: "keep a copy of the file as it is; "
                    + (advice
                        ?? "then stop cofferd.socket and cofferd.service, restore a backup, and remove its -wal file"))
            : Keychain.Finding(
                .verification, .problem, "the vault could not be checked: \(words)",
                advice: advice ?? "see: journalctl -u cofferd")
    }

    /// Whether something else is in the place of the vault's file.
    private static func isNoFile(_ facts: DiagnosisFacts) -> Bool {
        let path = VaultFile.path(of: facts.owner, in: facts.configuration.vaultDirectory)
        // `try?`: what cannot be examined is reported as it is.
        guard let status = (try? FileStatus.of(path)) ?? nil else { return false }
        return !status.isRegular
    }

    private static func isReadOnly(_ facts: DiagnosisFacts) -> Bool {
        // `try?`: a folder that is missing is reported as it is.
        (try? FileSystemRoom.of(facts.configuration.vaultDirectory))?.isReadOnly ?? false
    }

    private static func rows(_ checkup: VaultCheckup) -> Keychain.Finding {
        guard let report = checkup.report else {
            return Keychain.Finding(
                .verification, .note, "the vault is too large to check all of it here; each read checks what it reads")
        }
        let items = report.items == 1 ? "1 item" : "\(report.items) items"
        let former = report.formerValues == 0 ? "" : ", former values of items: \(report.formerValues)"
        return Keychain.Finding(
            .verification, .ok, "the whole vault was checked: \(items)\(former), \(report.postings) index entries")
    }

    private static func log(_ checkup: VaultCheckup) -> Keychain.Finding {
        if let problem = checkup.log.problem {
            return Keychain.Finding(
                .log, .problem, "the access log is not whole: \(problem)", advice: "see: coffer log --verify")
        }
        return Keychain.Finding(.log, .ok, "the access log is whole: \(checkup.log.records) records")
    }
}

/// Would Coffer notice an older copy of the vault's file?
enum RollbackCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard let record = facts.record, !facts.isTorn else { return [] }
        if case .failure(let fault) = facts.vault, fault.details.kind == Keychain.rollback {
            let words = fault.details.message ?? "the vault's file is an older copy"
            return [Keychain.Finding(.rollback, .problem, words, advice: fault.details.advice)]
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
