import BrokerProtocol
import FoundationEssentials
import Platform

/// Do the PAM services ask for a factor that cannot be bypassed, and do they check the account?
enum PAMCheck: DiagnosisCheck {
    static let services = ["coffer", "coffer-biometric", "coffer-passcode"]

    /// Modules that must not be in a stack, and the reason.
    private static let forbidden = [
        "pam_rootok.so": "root would always pass",
        "pam_timestamp.so": "an old answer would pass for a new one",
        "pam_faillock.so": "any program of a user could lock the account",
        "pam_tally2.so": "any program of a user could lock the account",
    ]

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let folders = facts.configuration.pamDirectory.map { [$0] } ?? ["/etc/pam.d", "/usr/lib/pam.d"]
        let problems = services.flatMap {
            Self.problems(of: $0, PAMStack(service: $0, folders: folders), owner: facts.authenticatorUID)
        }
        guard problems.isEmpty else { return problems }
        return [Keychain.Finding(.pam, .ok, "the PAM services are there, and nothing in them bypasses the person")]
    }

    static func problems(of service: String, _ stack: PAMStack, owner: UInt32) -> [Keychain.Finding] {
        func problem(_ words: String, _ advice: String) -> Keychain.Finding {
            Keychain.Finding(.pam, .problem, "PAM service \(service): \(words)", advice: advice)
        }
        let anew = "install the file from Coffer's pam folder again"
        if stack.files.isEmpty { return [problem("its file is missing, or cannot be read", anew)] }
        var found = stack.missing.map { problem("a file that it includes is missing: \($0)", anew) }
        for path in stack.files {
            // `try?`: the file was readable a moment ago, so there is nothing to report about it here.
            guard let status = try? FileStatus.of(path), !status.isSymbolicLink else { continue }
            if status.mode & 0o022 != 0 || (status.uid != owner && status.uid != 0) {
                found.append(
                    problem("\(path) can be written by others besides root", "chown root \(path); chmod 644 \(path)"))
            }
        }
        for line in stack.lines where line.type == "auth" || line.type == "account" {
            if let why = forbidden[line.module] {
                found.append(problem("\(line.module) in \(line.file): \(why)", "remove that line"))
            }
            if line.type == "auth", line.arguments.contains(where: { $0.hasPrefix("nullok") }) {
                found.append(
                    problem("nullok in \(line.file): an empty password is no factor", "remove that word"))
            }
        }
        let asking = stack.lines.filter { $0.type == "auth" && !["pam_permit.so", "pam_deny.so"].contains($0.module) }
        if asking.isEmpty { found.append(problem("its auth lines ask for nothing", anew)) }
        if !stack.lines.contains(where: { $0.type == "account" }) {
            found.append(
                problem("it has no account line, so expired accounts get in, or everybody is refused", anew))
        }
        return found
    }
}

/// One line of a PAM service file (pam.conf(5)), or of a file that it includes.
struct PAMLine: Sendable, Equatable {
    /// `auth`, `account`, `password` or `session`.
    let type: String
    let control: String
    /// Without folder: `pam_unix.so`.
    let module: String
    let arguments: [String]
    let file: String
}

/// The lines of a PAM service, with those of all files that it includes.
struct PAMStack: Sendable, Equatable {
    private(set) var lines: [PAMLine] = []
    private(set) var files: [String] = []
    /// The names of files that cannot be read.
    private(set) var missing: [String] = []

    /// - Parameter folders: the folders that hold service files. The first folder that has the file counts.
    init(service: String, folders: [String]) { read(service, folders, only: nil, depth: 0) }

    private mutating func read(_ name: String, _ folders: [String], only type: String?, depth: Int) {
        let paths = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        guard depth < DiagnosisLimits.pamDepth,
            let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }),
            let content = FileManager.default.contents(atPath: path), content.count <= DiagnosisLimits.pamFile
        else {
            missing.append(name)
            return
        }
        files.append(path)
        for line in Self.logicalLines(String(decoding: content, as: UTF8.self)) {
            let words = Self.words(line)
            guard let first = words.first else { continue }
            if first == "@include" {
                if words.count > 1 { read(words[1], folders, only: type, depth: depth + 1) }
                continue
            }
            // A leading dash tells libpam not to log a missing module.
            let kind = (first.hasPrefix("-") ? String(first.dropFirst()) : first).lowercased()
            guard words.count >= 3, type == nil || type == kind else { continue }
            switch words[1].lowercased() {
            case "include", "substack": read(words[2], folders, only: kind, depth: depth + 1)
            case let control:
                let module = words[2].split(separator: "/").last.map(String.init) ?? words[2]
                lines.append(
                    PAMLine(
                        type: kind, control: control, module: module, arguments: Array(words.dropFirst(3)), file: path))
            }
        }
    }

    /// The lines without comments. A backslash at the end of a line joins the next one.
    private static func logicalLines(_ text: String) -> [String] {
        var lines: [String] = []
        var pending = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.prefix { $0 != "#" }
            if content.hasSuffix("\\") {
                pending += content.dropLast() + " "
            } else {
                lines.append(pending + content)
                pending = ""
            }
        }
        return pending.isEmpty ? lines : lines + [pending]
    }

    /// Text in brackets is one word, even if it has spaces.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isBracketed = false
        for character in line {
            if character == "[" { isBracketed = true }
            if character == "]" { isBracketed = false }
            if character.isWhitespace, !isBracketed {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
