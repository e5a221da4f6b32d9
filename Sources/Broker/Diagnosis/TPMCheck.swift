import Authorization
import BrokerProtocol
import TPM
import Vault

/// Does the TPM answer, and what state is it in?
enum TPMCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        switch facts.sealer {
        case nil: []
        case .failure(let error): [failure(error, facts)]
        case .success(let condition): all(of: condition)
        }
    }

    private static func failure(_ error: SealerError, _ facts: DiagnosisFacts) -> Keychain.Finding {
        let advice =
            switch error.code {
            case .unavailable:
                facts.record == nil
                    ? "check that the firmware has it switched on, and that the broker may open it (“tcti” in cofferd.conf); for a machine without a TPM root can set “sealer = software”, which protects less"
                    : "check that the firmware has it switched on, and that the broker may open it (“tcti” in cofferd.conf)"
            case .deadline: "wait a minute; if it still does not answer, restart the machine"
            case .exhausted: "end other programs that use the TPM"
            default: "if it stays so after a restart of the machine, see: journalctl -u cofferd"
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
            advice: "wait until it ends, and find out which program tries")
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
                advice: "end other programs that use it")
        }
        let nv = condition.tpm.nvRoom
        guard let left = nv.left, left == 0 else {
            return Keychain.Finding(
                .tpmRoom, .ok,
                "the TPM has room for \(handles.roomForTransient) more objects and \(handles.roomForSessions) more sessions"
            )
        }
        // Not a problem of those who have a vault, and perhaps only an estimate.
        return Keychain.Finding(
            .tpmRoom, .note,
            "the TPM says that it has no room for another NV index (\(handles.nvIndexes.count) are there): it may refuse new vaults, and renewals of keys",
            advice: NVRoom.advice)
    }
}

/// Are the indexes there that the vault's keys depend on? And does the TPM keep one that nobody needs? A power cut at
/// the wrong moment can leave one. It is worthless, but the TPM has little room.
enum TPMIndexCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard case .success(let condition) = facts.sealer, let inventory = facts.inventory else { return [] }
        let present = Set(condition.tpm.handles.ownIndexes.map(\.rawValue))
        let missing = missing(present, condition, facts)
        let left = present.subtracting(inventory.pinned).sorted()
        if !missing.isEmpty { return missing + (left.isEmpty ? [] : [leftOver(left, inventory, facts)]) }
        return left.isEmpty
            ? [Keychain.Finding(.tpmIndexes, .ok, "each of Coffer's indexes in the TPM belongs to a vault")]
            : [leftOver(left, inventory, facts)]
    }

    private static func leftOver(
        _ left: [UInt32], _ inventory: VaultInventory, _ facts: DiagnosisFacts
    ) -> Keychain.Finding {
        let handles = left.map { "0x" + String($0, radix: 16) }
        let isOne = left.count == 1
        let (what, them) = (isOne ? "an index" : "\(left.count) indexes", isOne ? "it" : "them")
        // Removing an index destroys what depends on it. So nothing is called left over while anything is missing that
        // may need it.
        guard inventory.gaps.isEmpty else {
            return Keychain.Finding(
                .tpmIndexes, .note,
                "the TPM keeps \(what) that no record names, and a part of a vault is missing or is not the newest (see above): that vault may need \(them)"
            )
        }
        guard !facts.isVaultFailing else {
            return Keychain.Finding(
                .tpmIndexes, .note,
                "the TPM keeps \(what) that no record names; your vault could not be checked, and may need \(them)")
        }
        guard !inventory.isChanging else {
            return Keychain.Finding(
                .tpmIndexes, .note,
                "the TPM keeps \(what) that no record names; a vault that is being made or renewed, was set aside, or cannot be read may need \(them)"
            )
        }
        let commands = handles.map { "tpm2_nvundefine -C o \($0)" }.joined(separator: "; ")
        // Only a note: the index may be in the making, or belong to another system on this machine.
        return Keychain.Finding(
            .tpmIndexes, .note,
            "the TPM keeps \(what) of Coffer that no vault of this system names: \(handles.joined(separator: ", "))",
            advice:
                "an interruption may have left \(them); \(isOne ? "it does" : "they do") no harm. Remove \(them) only if you need the room, no vault is missing here that a backup has, no vault is being changed, and no other system on this machine uses Coffer: \(commands)"
        )
    }

    /// Nothing that needs a missing index opens again, so the person must know before they rely on it.
    private static func missing(
        _ present: Set<UInt32>, _ condition: SealerCondition, _ facts: DiagnosisFacts
    ) -> [Keychain.Finding] {
        // In a cleared TPM nothing is left. StorageKeyCheck reports that.
        guard let record = facts.record, condition.storageKey == .pinned, !facts.isTorn else { return [] }
        func isMissing(_ handle: UInt32?) -> Bool { handle.map { !present.contains($0) } ?? false }
        func finding(_ handle: UInt32?, _ what: String, _ advice: String) -> Keychain.Finding {
            Keychain.Finding(
                .tpmIndexes, .problem,
                "the TPM no longer has \(what) (0x\(String(handle ?? 0, radix: 16)))", advice: advice)
        }
        var findings: [Keychain.Finding] = []
        if isMissing(record.generation?.handle) {
            findings.append(
                finding(
                    record.generation?.handle,
                    "the index that the vault's keys depend on: once locked, the vault will not open again",
                    SetAsideWords.recovery(facts)))
        }
        if isMissing(record.binding?.index.handle) {
            findings.append(
                finding(
                    record.binding?.index.handle, "the count of the vault's password tries",
                    SetAsideWords.recovery(facts)))
        }
        // RollbackCheck and MeasuredBootCheck report these two, unless the vault was open before.
        if isMissing(record.counter?.handle), !isRolledBack(facts) {
            findings.append(
                finding(
                    record.counter?.handle, "the counter of the vault's changes",
                    SetAsideWords.acceptance(facts, record)))
        }
        if isMissing(record.boot?.index.handle), !isBootIndexGone(facts) {
            findings.append(
                finding(
                    record.boot?.index.handle, "the record of the approved boots",
                    SetAsideWords.recovery(facts)))
        }
        return findings
    }

    private static func isRolledBack(_ facts: DiagnosisFacts) -> Bool {
        guard case .failure(let fault) = facts.vault else { return false }
        return fault.details.kind == Keychain.rollback
    }

    private static func isBootIndexGone(_ facts: DiagnosisFacts) -> Bool {
        guard case .failure(let fault) = facts.boot else { return false }
        return fault.details.kind == "boot-index"
    }
}

/// What helps if this TPM will never open a vault again. Setting it aside destroys nothing.
enum SetAsideWords {
    /// The same for a vault that may be open, which setting aside closes for ever.
    static func recovery(_ facts: DiagnosisFacts) -> String {
        (facts.isUnlocked ? "\(RescueWords.saveOpen); then " : "") + recovery(facts.record)
    }

    /// - Parameter record: the vault's; nil if it is not known.
    static func recovery(_ record: RegistryRecord?) -> String {
        "root sets the vault aside with: coffer vault set-aside \(place(record)), which says how to restore the secrets"
    }

    /// How root has the TPM count the file anew. A vault that cofferd opened before its counter went has nothing to
    /// accept until it is opened again.
    static func acceptance(_ facts: DiagnosisFacts, _ record: RegistryRecord) -> String {
        (facts.isUnlocked ? "\(RescueWords.saveOpen); then have root restart cofferd" : "have root restart cofferd")
            + ", put the newest file back if this one is older, and accept it: coffer vault accept \(place(record))"
    }

    private static func place(_ record: RegistryRecord?) -> String {
        switch record?.owner {
        case .group: "--group \(record?.ownerName ?? "NAME")"
        case .user, nil: "--user \(record?.ownerName ?? "NAME")"
        }
    }
}
