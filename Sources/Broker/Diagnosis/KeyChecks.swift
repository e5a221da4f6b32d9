import Authorization
import BrokerProtocol
import Platform
import TPM

/// Is the storage key in the TPM? All of the vault's keys are stored under it.
enum StorageKeyCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard case .success(let condition) = facts.sealer, let standing = condition.storageKey,
            let pin = facts.record?.storageKey
        else { return [] }
        let handle = "0x" + String(pin.handle, radix: 16)
        let finding =
            switch standing {
            case .pinned:
                Keychain.Finding(.storageKey, .ok, "the pinned storage key is in the TPM (at \(handle))")
            case .absent:
                Keychain.Finding(
                    .storageKey, .problem,
                    "the storage key is gone from the TPM (\(handle) is empty): it was removed, or the TPM was cleared or replaced",
                    advice: facts.isUnlocked
                        ? "\(RescueWords.saveOpen); reading a secret that asks for you puts the key back, if it was only removed; if it does not, \(SetAsideWords.recovery(facts.record))"
                        : "if it was only removed, put it back with coffer unlock; if that fails: \(SetAsideWords.recovery(facts.record))"
                )
            case .another:
                Keychain.Finding(
                    .storageKey, .problem,
                    "another key is in the place of the pinned storage key (\(handle)): the TPM was cleared or replaced, or somebody put it there",
                    advice:
                        "find out which it was; if it was cleared or replaced: \(SetAsideWords.recovery(facts))"
                )
            }
        return [finding]
    }
}

/// Are the vault's keys made for the authenticator's present signing key?
enum SigningKeyCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard let record = facts.record, !facts.isTorn else { return [] }
        let directory = facts.configuration.registryDirectory
        let registry = Registry(directory: directory, authenticatorUID: facts.authenticatorUID)
        let file = "\(directory)/signing-key.pem"
        // `try?`: FilesCheck reports a file that cannot be examined, or is missing.
        guard let status = try? FileStatus.of(file), status.isRegular else { return [] }
        let present: [UInt8]?
        do throws(RegistryError) { present = try registry.presentKey() } catch {
            return [
                Keychain.Finding(
                    .signingKey, .problem, "the authenticator's present signing key is not known: \(error)",
                    advice: "the authenticator writes that file again when it next asks somebody")
            ]
        }
        guard let present else {
            return [
                Keychain.Finding(
                    .signingKey, .note,
                    "the authenticator has not told its present signing key yet; it does so when it next asks somebody")
            ]
        }
        guard present == record.authenticatorKey else {
            return [
                Keychain.Finding(
                    .signingKey, .problem,
                    "the vault's keys are for another signing key than the authenticator's present one: it was renewed, or \(file) is another file",
                    advice:
                        "if root renewed it: coffer rotate --all; otherwise restore \(file) and \(directory)/former-keys from a backup"
                )
            ]
        }
        // Nobody but the authenticator may read the key itself.
        return [
            Keychain.Finding(
                .signingKey, .ok,
                "the vault's keys are for the signing key that the authenticator named last; whether it can still read that key shows when it next asks somebody"
            )
        ]
    }
}
