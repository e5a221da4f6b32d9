import Authorization
import BrokerProtocol
import Vault

/// Does the TPM answer, and what state is it in?
enum TPMCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        switch facts.sealer {
        case nil: []
        case .failure(let error): [failure(error)]
        case .success(let condition): all(of: condition)
        }
    }

    private static func failure(_ error: SealerError) -> Keychain.Finding {
        let advice =
            switch error.code {
            case .unavailable:
                "check that the firmware has it switched on, and that the broker may open it (“tcti” in cofferd.conf)"
            case .deadline: "wait a minute and run coffer doctor again; if that does not help, restart the machine"
            case .exhausted: "end other programs that use the TPM"
            default: "restart the machine, then run coffer doctor again"
            }
        return Keychain.Finding(.tpm, .problem, error.reason, advice: advice)
    }

    private static func all(of condition: SealerCondition) -> [Keychain.Finding] {
        let tpm = condition.tpm
        let maker = [tpm.description.manufacturer, tpm.description.model].filter { !$0.isEmpty }.joined(separator: ", ")
        return [
            Keychain.Finding(.tpm, .ok, "the TPM answers (\(maker))"), version(condition), lockout(condition),
            passwords(condition), room(condition),
        ]
    }

    private static func version(_ condition: SealerCondition) -> Keychain.Finding {
        let tpm = condition.tpm
        let minor = tpm.revision % 100
        let revision = tpm.revision == 0 ? "unknown" : "\(tpm.revision / 100).\(minor < 10 ? "0" : "")\(minor)"
        let text = "TPM 2.0, revision \(revision), firmware \(tpm.firmware)"
        var lacks: [String] = []
        if !tpm.supportsPINIndexes { lacks.append("vaults cannot be bound to the password") }
        if !tpm.supportsPolicyIndexes { lacks.append("vaults cannot be tied to the boot") }
        return lacks.isEmpty
            ? Keychain.Finding(.tpmVersion, .ok, text)
            : Keychain.Finding(
                .tpmVersion, .note, "\(text); it is too old for some things: \(lacks.joined(separator: ", "))")
    }

    private static func lockout(_ condition: SealerCondition) -> Keychain.Finding {
        let lockout = condition.tpm.lockout
        guard lockout.isActive else {
            let count = "\(lockout.failures) of \(lockout.allowedFailures) failed attempts"
            return Keychain.Finding(.tpmLockout, .ok, "the TPM is not in its lockout (\(count))")
        }
        // Coffer's objects are exempt from the lockout, so nothing of Coffer's needs repair. But some program is
        // guessing.
        return Keychain.Finding(
            .tpmLockout, .problem,
            "the TPM is in its lockout after failed attempts by other programs, for \(lockout.secondsLeft) s at most; Coffer's own keys are not affected",
            advice: "wait, or end it with: tpm2_dictionarylockout --clear-lockout")
    }

    private static func passwords(_ condition: SealerCondition) -> Keychain.Finding {
        let passwords = condition.tpm.passwords
        if passwords.owner {
            return Keychain.Finding(
                .tpmPasswords, .problem,
                "the TPM's owner password is set: existing vaults go on working, but no new one can be made",
                advice: "remove it while you make a vault: tpm2_changeauth -c owner -p PASSWORD")
        }
        // Without a lockout password, a user who reaches the TPM can reset the lockout or clear the TPM. That
        // destroys data, but discloses nothing.
        return Keychain.Finding(
            .tpmPasswords, .ok,
            "the TPM's owner password is not set, as Coffer needs it; its lockout password is \(passwords.lockout ? "set" : "not set, so anyone who reaches the TPM can clear it")"
        )
    }

    private static func room(_ condition: SealerCondition) -> Keychain.Finding {
        let handles = condition.tpm.handles
        let lacking = [(handles.roomForTransient, "object"), (handles.roomForSessions, "session")].filter { $0.0 == 0 }
        guard lacking.isEmpty else {
            return Keychain.Finding(
                .tpmRoom, .problem,
                "the TPM has no room for another \(lacking.map(\.1).joined(separator: " and no room for another "))",
                advice: "end other programs that use it, or flush what they left: tpm2_flushcontext")
        }
        return Keychain.Finding(
            .tpmRoom, .ok,
            "the TPM has room for \(handles.roomForTransient) more objects and \(handles.roomForSessions) more sessions"
        )
    }
}

/// Does the TPM keep an index of Coffer's that no vault names? A power cut at the wrong moment can leave one. It is
/// worthless, but the TPM has little room.
enum TPMIndexCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard case .success(let condition) = facts.sealer, let pinned = facts.pinnedIndexes else { return [] }
        let own = condition.tpm.handles.ownIndexes.map(\.rawValue)
        let left = own.filter { !pinned.contains($0) }.map { "0x" + String($0, radix: 16) }
        guard !left.isEmpty else {
            return [Keychain.Finding(.tpmIndexes, .ok, "each of Coffer's indexes in the TPM belongs to a vault")]
        }
        // Only a note: the index may be in the making, or belong to another system on this machine.
        return [
            Keychain.Finding(
                .tpmIndexes, .note,
                "the TPM keeps \(left.count == 1 ? "an index" : "\(left.count) indexes") of Coffer that no vault of this system names: \(left.joined(separator: ", "))",
                advice:
                    "an interruption may have left it; remove it only if no vault is being changed, no coffer rotate --all was interrupted, and no other system on this machine uses Coffer: tpm2_nvundefine -C o \(left[0])"
            )
        ]
    }
}
