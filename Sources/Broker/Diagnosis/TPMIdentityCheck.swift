import BrokerProtocol
import Cryptography
import Platform
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
                "the TPM has no certificate: Coffer knows it by \(pin), and trusts that this was the real TPM")
        case .issuerUnknown:
            Keychain.Finding(
                .tpmIdentity, .note,
                "the TPM is known by \(pin); it has a certificate too, from a maker that root has not named. To have it checked, put the maker's certificate into \(roots)"
            )
        case .foreignCertificate:
            Keychain.Finding(
                .tpmIdentity, .problem,
                "the certificate in the TPM is not for the TPM's own key: it proves nothing; the TPM is known by \(pin)",
                advice: "find out whether the TPM is genuine")
        }
    }
}

/// Certificates of TPM makers that root trusts. The files and their folder must be writable by root only.
enum EndorsementRoots {
    /// Files that cannot be read or trusted are left out. The TPM's certificate then counts as one of an unknown
    /// maker.
    /// - Parameter owner: the uid that must own the files; root may own them in any case.
    static func read(_ folder: String, owner: UInt32) -> [Certificate] {
        // `try?`: without the folder, root trusts no maker.
        guard isTrusted(folder, owner), let names = try? Folder.entries(folder) else { return [] }
        return names.sorted().prefix(DiagnosisLimits.certificateFiles).flatMap { name -> [Certificate] in
            let path = "\(folder)/\(name)"
            // `try?`: an unreadable file is left out.
            guard isTrusted(path, owner),
                let bytes = try? DurableFile.read(path, limit: DiagnosisLimits.certificateFile)
            else { return [] }
            // `try?`: a file that is not a certificate is left out.
            return certificates(bytes).compactMap { try? Certificate(der: $0) }
        }
    }

    private static func isTrusted(_ path: String, _ owner: UInt32) -> Bool {
        // `try?`: a file that cannot be examined is not trusted.
        guard let status = try? FileStatus.of(path) else { return false }
        return status.mode & 0o022 == 0 && (status.uid == owner || status.uid == 0)
            && (status.isFolder || status.isRegular)
    }

    /// The DER content of a file. The file is DER itself, or PEM with any number of certificates (RFC 7468).
    private static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN CERTIFICATE-----") else { return [bytes] }
        var found: [[UInt8]] = []
        var lines: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN CERTIFICATE") {
                lines = []
            } else if line.hasPrefix("-----END CERTIFICATE") {
                if let content = lines, let der = Base64.decode(content.joined()) { found.append(der) }
                lines = nil
            } else {
                lines?.append(line.prefix { !$0.isWhitespace })
            }
        }
        return found
    }
}
