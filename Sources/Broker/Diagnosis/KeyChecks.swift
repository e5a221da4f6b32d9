import Authorization
import BrokerProtocol
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
                    advice:
                        "if it was only removed, put it back with coffer unlock; if that fails: \(SetAsideWords.recovery(facts.record))"
                )
            case .another:
                Keychain.Finding(
                    .storageKey, .problem,
                    "another key is in the place of the pinned storage key (\(handle)): the TPM was cleared or replaced, or somebody put it there",
                    advice:
                        "find out which it was; if it was cleared or replaced: \(SetAsideWords.recovery(facts.record))")
            }
        return [finding]
    }
}

/// Are the vault's keys made for the authenticator's present signing key?
enum SigningKeyCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard let record = facts.record else { return [] }
        let registry = Registry(
            directory: facts.configuration.registryDirectory, authenticatorUID: facts.authenticatorUID)
        let present: [UInt8]?
        do throws(RegistryError) { present = try registry.presentKey() } catch {
            return [
                Keychain.Finding(
                    .signingKey, .problem, "the authenticator's present signing key is not known: \(error)",
                    advice: "have root renew it: coffer rotate --signing-key")
            ]
        }
        // If the signing key was never renewed, there is only one.
        guard present == nil || present == record.authenticatorKey else {
            return [
                Keychain.Finding(
                    .signingKey, .problem,
                    "the authenticator's signing key was renewed, and the vault's keys are for the former one",
                    advice: "coffer rotate --all")
            ]
        }
        return [Keychain.Finding(.signingKey, .ok, "the vault's keys are for the authenticator's present signing key")]
    }
}
