import Cryptography
import FoundationEssentials
import Platform

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
                if let content = lines, let der = Data(base64Encoded: content.joined()) { found.append([UInt8](der)) }
                lines = nil
            } else {
                lines?.append(line.prefix { !$0.isWhitespace })
            }
        }
        return found
    }
}
