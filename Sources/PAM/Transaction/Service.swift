internal import Glibc

/// A PAM service: its name, and the folder of its file.
public struct Service: Sendable, Equatable {
    public let name: String
    /// A folder for `pam_start_confdir(3)`; nil for the system's own folders.
    public let directory: String?

    public init(name: String, directory: String? = nil) {
        self.name = name
        self.directory = directory
    }

    /// The files that libpam tries, in this order.
    var candidates: [String] {
        let directories = directory.map { [$0] } ?? ["/etc/pam.d", "/usr/lib/pam.d"]
        return directories.map { "\($0)/\(name)" }
    }

    /// Checks that the service has rules of its own. Otherwise libpam would silently use those of the service "other" for any that are missing.
    ///
    /// - Throws: ``PAMError`` with code `misconfigured`.
    func check() throws(PAMError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ (97...122).contains($0) || $0 == 45 }) else {
            throw PAMError(.misconfigured, call: .start, reason: "\"\(name)\" is not the name of a PAM service")
        }
        for path in candidates {
            guard let text = try Self.contents(of: path) else { continue }
            let kinds = Self.ruleKinds(in: text)
            guard kinds.contains("@include") || (kinds.contains("auth") && kinds.contains("account")) else {
                throw PAMError(
                    .misconfigured, call: .start, reason: "the PAM file \(path) needs both auth and account rules")
            }
            return
        }
        throw PAMError(
            .misconfigured, call: .start,
            reason: "there is no PAM file \(candidates[0])",
            advice: "have root restore it from a backup, or from the package: "
                + "apt-get install --reinstall -o Dpkg::Options::=--force-confmiss coffer")
    }

    /// The first word of each rule, without the "-" that makes libpam ignore a missing module.
    static func ruleKinds(in text: String) -> Set<String> {
        var kinds: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2 else { continue }
            kinds.insert(words[0].drop { $0 == "-" }.lowercased())
        }
        return kinds
    }

    private static func text(of number: CInt) -> String {
        unsafe String(cString: strerror(number))
    }

    private static func contents(of path: String) throws(PAMError) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw PAMError(
                .misconfigured, call: .start,
                reason: "the PAM file \(path) cannot be read: \(Self.text(of: errno))")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
