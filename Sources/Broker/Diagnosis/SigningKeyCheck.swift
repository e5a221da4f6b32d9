import Authorization
import BrokerProtocol

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
