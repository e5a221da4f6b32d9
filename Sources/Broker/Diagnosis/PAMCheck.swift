import BrokerProtocol
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
