import BrokerProtocol
import Platform

/// Do the PAM services ask for a factor that cannot be bypassed, and do they check the account?
enum PAMCheck: DiagnosisCheck {
    static let services = PAMProof.allCases.map(\.rawValue)

    /// Modules that must not be in a stack, and the reason.
    private static let forbidden = [
        "pam_rootok.so": "root would always pass",
        "pam_timestamp.so": "an old answer would pass for a new one",
        "pam_faillock.so": "any program of a user could lock the account",
        "pam_tally2.so": "any program of a user could lock the account",
    ]

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let folders = facts.configuration.pamDirectory.map { [$0] } ?? ["/etc/pam.d", "/usr/lib/pam.d"]
        var problems: [Keychain.Finding] = []
        var unknown: [String: [String]] = [:]
        // Another folder's files may be for another libpam.
        let present = facts.configuration.pamDirectory == nil ? PAMModules.ofSystem() : nil
        var absences: [Keychain.Finding] = []
        for proof in PAMProof.allCases {
            let stack = PAMStack(service: proof.rawValue, folders: folders)
            problems += Self.problems(
                of: proof.rawValue, stack, owner: facts.authenticatorUID,
                isSilent: facts.configuration.silentServices.contains(proof.rawValue),
                // A sandbox has one password for everybody, and judges no account.
                judgesAccounts: !facts.configuration.sandbox)
            if let present { absences += Self.absences(from: proof.rawValue, stack, present) }
            let readings: [any PAMReading] = [proof, PAMAccountRules()]
            for reading in readings {
                guard case .unknown(let modules) = PAMPassage.find(through: stack, reading: reading) else { continue }
                let names = modules.joined(separator: ", ")
                if unknown[names]?.last != proof.rawValue { unknown[names, default: []].append(proof.rawValue) }
            }
        }
        let notes = unknown.sorted { $0.key < $1.key }.map { modules, services in
            Keychain.Finding(
                .pam, .note,
                "cannot tell whether the PAM service \(services.joined(separator: ", ")) asks a person and judges the account: Coffer does not know what \(modules) does"
            )
        }
        problems += absences
        guard problems.isEmpty, notes.isEmpty else { return problems + notes }
        return [
            Keychain.Finding(.pam, .ok, "the PAM services are there, and each asks people before it lets them in")
        ]
    }

    /// The lines whose module is not there, although nothing says that it may be missing. A finger has a check of its own.
    static func absences(from service: String, _ stack: PAMStack, _ modules: PAMModules) -> [Keychain.Finding] {
        stack.lines.filter { $0.type == "auth" || $0.type == "account" }.compactMap { line in
            guard !line.isOptional, !PAMProof.biometrics.contains(line.module), modules.lacks(line) else { return nil }
            let isPassed =
                switch PAMControl(line.control).atAbsence {
                case .ignore, .jump: true
                default: false
                }
            return Keychain.Finding(
                .pam, isPassed ? .note : .problem,
                "PAM service \(service): libpam does not find the module \(line.path), which \(line.file) names",
                advice: isPassed
                    ? nil : "install its package, or put back the file \(service) that Coffer brings, in /etc/pam.d")
        }
    }

    /// - Parameters:
    ///   - isSilent: whether root says that the service's modules show nothing.
    ///   - judgesAccounts: whether the account lines must refuse expired accounts.
    static func problems(
        of service: String, _ stack: PAMStack, owner: UInt32, isSilent: Bool = false, judgesAccounts: Bool = true
    ) -> [Keychain.Finding] {
        func problem(_ words: String, _ advice: String) -> Keychain.Finding {
            Keychain.Finding(.pam, .problem, "PAM service \(service): \(words)", advice: advice)
        }
        let anew = "put back the file \(service) that Coffer brings, in /etc/pam.d"
        if stack.files.isEmpty { return [problem("its file is missing, or cannot be read", anew)] }
        var found = stack.missing.map { problem("a file that it includes is missing: \($0)", anew) }
        for path in stack.files {
            if stack.lines.contains(where: { $0.file == path && $0.endsWithCarriageReturn }) {
                found.append(
                    problem(
                        "lines of \(path) end with a carriage return, so libpam does not find their modules",
                        "take it away: sed -i 's/\\r$//' \(path)"))
            }
            // `try?`: the file was readable a moment ago, so there is nothing to report about it here.
            guard let status = try? FileStatus.of(path), !status.isSymbolicLink else { continue }
            if status.mode & 0o022 != 0 || (status.uid != owner && status.uid != 0) {
                // Closed without a look, what others wrote would be called in order from then on.
                found.append(
                    problem(
                        "\(path) can be written by others besides root",
                        "find out who could write it, and compare it with the file that its package brings; "
                            + "then: chown root \(path); chmod 644 \(path)"))
            }
        }
        for line in stack.lines where line.type == "auth" || line.type == "account" {
            // A removed line would change what the jumps of other lines skip.
            if let why = forbidden[line.name] {
                found.append(problem("\(line.module) in \(line.file): \(why)", anew))
            }
            if line.module.hasPrefix("/"), isOpen(line.module, owner) {
                found.append(
                    problem(
                        "the module \(line.module) in \(line.file) can be written by others besides root",
                        "find out who could write it, and what it is for; otherwise \(anew)"))
            }
            if line.type == "auth", line.arguments.contains(where: { $0.hasPrefix("nullok") }) {
                found.append(
                    problem("nullok in \(line.file): an empty password is no factor", "remove that word"))
            }
            if line.type == "auth", !isSilent, PAMProof.isMute(line) {
                found.append(
                    problem(
                        "\(line.module) in \(line.file) shows nothing, so the authenticator does not believe it",
                        "add the word cue to that line"))
            }
        }
        if let proof = PAMProof(rawValue: service) {
            switch PAMPassage.find(through: stack, past: proof) {
            case .unasked(let modules):
                found.append(
                    problem("it can let people in without \(proof.words), by \(modules.joined(separator: ", "))", anew))
            case .nobody: found.append(problem("its auth lines let nobody in", anew))
            case .unknown, nil: break
            }
        }
        if !stack.lines.contains(where: { $0.type == "account" }) {
            found.append(
                problem("it has no account line, so expired accounts get in, or everybody is refused", anew))
        } else if judgesAccounts {
            switch PAMPassage.find(through: stack, reading: PAMAccountRules()) {
            case .unasked(let modules):
                let names = modules.joined(separator: ", ")
                found.append(problem("its account lines let expired accounts in, by \(names)", anew))
            case .nobody: found.append(problem("its account lines let nobody in", anew))
            case .unknown, nil: break
            }
        }
        return found
    }

    /// Whether others than root and this owner could have put the file there.
    private static func isOpen(_ path: String, _ owner: UInt32) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        return [path, folder.isEmpty ? "/" : folder].contains { place in
            // `try?`: what is not there, or cannot be examined, is told as a module that is unknown.
            guard let status = (try? FileStatus.following(place)) ?? nil else { return false }
            // In a sticky folder, a file can be replaced only by its owner.
            let isWritable = status.mode & 0o022 != 0 && (status.isRegular || status.mode & 0o1000 == 0)
            return isWritable || (status.uid != owner && status.uid != 0)
        }
    }
}
