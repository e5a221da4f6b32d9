import Cryptography
import FoundationEssentials
import Platform

/// Certificates of TPM makers that root trusts: files that nobody but root can write, in a folder of the same kind.
enum EndorsementRoots {
    private static let longestFile = 1 << 16
    private static let mostFiles = 256

    /// What cannot be read or trusted is left out: the certificate then counts as one of an unknown maker.
    /// - Parameter owner: whose files they have to be; root's in any case will do.
    static func read(_ folder: String, owner: UInt32) -> [Certificate] {
        // Without the folder root has named nobody.
        guard isTrusted(folder, owner), let names = try? Folder.entries(folder) else { return [] }
        return names.sorted().prefix(mostFiles).flatMap { name -> [Certificate] in
            let path = "\(folder)/\(name)"
            // As above: one file less.
            guard isTrusted(path, owner), let bytes = try? DurableFile.read(path, limit: longestFile) else { return [] }
            // As above, for what is no certificate.
            return certificates(bytes).compactMap { try? Certificate(der: $0) }
        }
    }

    private static func isTrusted(_ path: String, _ owner: UInt32) -> Bool {
        // What cannot be looked at is not trusted.
        guard let status = try? FileStatus.of(path) else { return false }
        return status.mode & 0o022 == 0 && (status.uid == owner || status.uid == 0)
            && (status.isFolder || status.isRegular)
    }

    /// The DER of a file that is DER itself, or PEM with any number of certificates (RFC 7468).
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
