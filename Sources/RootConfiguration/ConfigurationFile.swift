/// A line of the configuration file that cannot be used.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let reason: String

    public var description: String { "configuration, line \(line): \(reason)" }
}

extension Configuration {
    /// Reads the text of a configuration file. An unknown key is an error, so that a misspelt protection is not silently missing.
    public init(parsing text: String) throws(ConfigurationError) {
        self.init()
        var seen: Set<String> = []
        var number = 0
        // By scalars: Swift takes CR LF for one character, and would find one line in such a file.
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let content = Self.trimmed(String(line).prefix { $0 != "#" })
            if content.isEmpty { continue }
            guard let sign = content.firstIndex(of: "=") else {
                throw ConfigurationError(line: number, reason: "expected “key = value”, found “\(content)”")
            }
            let key = Self.trimmed(content[..<sign])
            let value = Self.trimmed(content[content.index(after: sign)...])
            guard seen.insert(key).inserted else {
                throw ConfigurationError(line: number, reason: "“\(key)” is set a second time")
            }
            do { try set(key, to: value) } catch { throw ConfigurationError(line: number, reason: error.reason) }
        }
    }

    private struct Problem: Error { let reason: String }

    private mutating func set(_ key: String, to value: String) throws(Problem) {
        guard !value.isEmpty else { throw Problem(reason: "“\(key)” has no value") }
        switch key {
        case "socket": socket = try Self.path(value)
        case "authenticator-socket": authenticatorSocket = try Self.path(value)
        case "auth-socket": authSocket = try Self.path(value)
        case "report-socket": reportSocketSetting = try Self.path(value)
        case "login-programs": loginPrograms = try Self.paths(value)
        case "screen-programs": screenPrograms = try Self.paths(value)
        case "vault-directory": vaultDirectory = try Self.path(value)
        case "registry-directory": registryDirectory = try Self.path(value)
        case "pam-directory": pamDirectory = try Self.path(value)
        case "silent-services": silentServices = try Self.silentServices(value)
        case "tcti": tcti = value
        case "sealer":
            guard let choice = SealerChoice(rawValue: value) else {
                throw Problem(reason: "“sealer” must be “tpm” or “software”, not “\(value)”")
            }
            sealer = choice
        case "broker-user": brokerUser = value
        case "authenticator-user": authenticatorUser = value
        case "sandbox":
            guard value == "yes" || value == "no" else {
                throw Problem(reason: "“sandbox” must be “yes” or “no”, not “\(value)”")
            }
            sandbox = value == "yes"
        case "prompt-timeout": promptTimeout = try Self.number(value, ConfigurationLimits.promptTimeout)
        case "connections-per-user": connectionsPerUser = try Self.number(value, ConfigurationLimits.connectionsPerUser)
        case "authentications-per-user":
            authenticationsPerUser = try Self.number(value, ConfigurationLimits.authenticationsPerUser)
        case "indexes-per-user": indexesPerUser = try Self.number(value, ConfigurationLimits.indexesPerUser)
        case "reuse-limit": reuseLimit = try Self.number(value, ConfigurationLimits.reuseLimit)
        case "lease-limit": leaseLimit = try Self.number(value, ConfigurationLimits.leaseLimit)
        case "notifications": notificationFolder = try Self.notifications(value)
        case "tpm-deadline": tpmDeadline = try Self.number(value, ConfigurationLimits.tpmDeadline)
        case "tpm-roots": tpmRoots = try Self.path(value)
        case "machines": machines = try Self.path(value)
        case "boot-log": bootLog = try Self.path(value)
        case "boot-folders": bootFolders = try Self.paths(value)
        case "system-bus": systemBus = try Self.bus(value)
        case "fingerprint-directory": fingerprintDirectory = try Self.path(value)
        case "idle-lock": idleLock = try Self.number(value, ConfigurationLimits.idleLock)
        default: throw Problem(reason: "there is no setting “\(key)”")
        }
    }

    private static func bus(_ value: String) throws(Problem) -> SystemBusChoice {
        switch value {
        case "yes": return .system
        case "no": return .none
        default:
            guard value.hasPrefix("unix:") else {
                throw Problem(
                    reason: "“system-bus” must be “yes”, “no” or an address that begins with “unix:”, not “\(value)”")
            }
            return .address(value)
        }
    }

    /// `none`, or names of PAM services, separated by spaces or tabs. The passcode is typed, so its service is never silent.
    private static func silentServices(_ value: String) throws(Problem) -> Set<String> {
        if value == "none" { return [] }
        let names = Set(value.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init))
        guard names.isSubset(of: ["coffer", "coffer-biometric"]) else {
            throw Problem(
                reason:
                    "“silent-services” must be “none”, “coffer”, “coffer-biometric” or both of these, not “\(value)”")
        }
        return names
    }

    private static func notifications(_ value: String) throws(Problem) -> String? {
        switch value {
        case "yes": return Configuration().notificationFolder
        case "no": return nil
        default: return try path(value)
        }
    }

    private static func path(_ value: String) throws(Problem) -> String {
        guard value.hasPrefix("/") else { throw Problem(reason: "a path must begin with “/”, unlike “\(value)”") }
        return value
    }

    /// File paths separated by spaces or tabs.
    private static func paths(_ value: String) throws(Problem) -> [String] {
        try value.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { word throws(Problem) in
            try path(String(word))
        }
    }

    private static func number(_ value: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw Problem(reason: "expected a number from \(range.lowerBound) to \(range.upperBound), found “\(value)”")
        }
        return number
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" && $0 != "\r" }) else { return "" }
        return String(start[...last])
    }

    private static func trimmed(_ text: String) -> String { trimmed(text[...]) }
}
