import BrokerProtocol
import TPM
import Vault

/// How does Coffer know that this is the right TPM?
enum TPMIdentityCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        switch facts.identity {
        case nil: return []
        case .failure(let error):
            return [
                Keychain.Finding(
                    .tpmIdentity, error.code == .replaced ? .problem : .note,
                    "the TPM's identity could not be checked: \(error.reason)",
                    advice: error.code == .replaced ? "find out what stands between this machine and its TPM" : nil)
            ]
        case .success(let standing): return [finding(standing, roots: facts.configuration.tpmRoots)]
        }
    }

    static func finding(_ standing: Endorsement.Standing, roots: String) -> Keychain.Finding {
        let pin = "the key that was pinned when the vault was made"
        return switch standing {
        case .certified:
            Keychain.Finding(
                .tpmIdentity, .ok, "the TPM is known by its maker's certificate, which was checked, and by \(pin)")
        case .noCertificate:
            Keychain.Finding(
                .tpmIdentity, .note,
                "the TPM has no certificate: it is known by \(pin). Coffer trusts what stood in its place on that day")
        case .issuerUnknown:
            Keychain.Finding(
                .tpmIdentity, .note,
                "the TPM is known by \(pin); it has a certificate too, from a maker that root has not named. To have it checked, put the maker's certificate into \(roots)"
            )
        case .foreignCertificate:
            Keychain.Finding(
                .tpmIdentity, .problem,
                "the certificate in the TPM is not for the TPM's own key: it proves nothing; the TPM is known by \(pin)",
                advice: "find out whether the TPM is what it was sold as")
        }
    }
}
