import BrokerProtocol
import Coffer

/// All checks. Each comes after those that it depends on.
enum Doctor {
    static let checks: [any DoctorCheck.Type] = [
        BrokerCheck.self, AuthenticatorCheck.self, SealerCheck.self, VaultCheck.self,
        RecoveryCheck.self,
        BrokersFindings.self,
        BiometryCheck.self, FingersCheck.self, CompanionCheck.self, SharingCheck.self,
    ]

    /// Two checks may run into the same cause. It is named once.
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        for finding in checks.flatMap({ $0.findings(facts) })
        where !findings.contains(where: { $0.isSameTask(as: finding) }) { findings.append(finding) }
        return findings
    }

    /// All findings in one line: whether there is something to do, then how many of each kind there are.
    static func summary(_ findings: [DoctorFinding]) -> String {
        func count(_ verdict: DoctorFinding.Verdict) -> Int { findings.count { $0.verdict == verdict } }
        let problems = count(.problem)
        let start =
            switch problems {
            case 0: "Nothing to do"
            case 1: "1 thing to do"
            case let several: "\(several) things to do"
            }
        return "\(start) (in order: \(count(.ok)), notes: \(count(.note)))"
    }
}

/// One check of `coffer doctor`. Checks of one subject share a file; `Doctor` puts them in order.
protocol DoctorCheck: SendableMetatype {
    /// - Returns: nothing if an earlier check has already said why this one is impossible.
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding]
}

/// The broker's own findings, which only it can make.
enum BrokersFindings: DoctorCheck {
    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        switch facts.diagnosis {
        case .failure(let error):
            // BrokerCheck has reported a broker that does not answer.
            guard case .success = facts.status else { return [] }
            return [DoctorFinding(.verification, error)]
        case .success(let reply): return reply.findings.map(DoctorFinding.init)
        }
    }
}

/// The replies of the broker and the authenticator, each asked once. Nobody is asked for a factor, and no value is read.
struct DoctorFacts {
    let status: Result<Keychain.Status.Reply, KeychainError>
    let biometry: Result<Authentication.Biometry.Reply, KeychainError>
    /// The uid that the authenticator runs as, which the kernel gives; nil if it did not answer.
    let authenticatorUser: UInt32?
    let items: Result<[ItemAttributes], KeychainError>
    let diagnosis: Result<Keychain.Diagnose.Reply, KeychainError>
    /// nil for a vault that shares its secrets with nobody.
    var sharing: SharingFacts?
    /// nil for the caller's own vault.
    var vault: VaultOptions?

    init(
        status: Result<Keychain.Status.Reply, KeychainError>,
        biometry: Result<Authentication.Biometry.Reply, KeychainError>, authenticatorUser: UInt32?,
        items: Result<[ItemAttributes], KeychainError>,
        diagnosis: Result<Keychain.Diagnose.Reply, KeychainError>
    ) {
        self.status = status
        self.biometry = biometry
        self.authenticatorUser = authenticatorUser
        self.items = items
        self.diagnosis = diagnosis
    }

    init(asking client: KeychainClient) {
        status = Self.asked { () throws(KeychainError) in try client.call(Keychain.Status()) }
        let authenticator = Self.asked { () throws(KeychainError) in try client.biometry() }
        biometry = authenticator.map(\.answer)
        authenticatorUser = if case .success(let found) = authenticator { found.uid } else { nil }
        items = Self.asked { () throws(KeychainError) in try client.list(service: nil) }
        diagnosis = Self.asked { () throws(KeychainError) in try client.call(Keychain.Diagnose()) }
    }

    private static func asked<Answer>(
        _ question: () throws(KeychainError) -> Answer
    ) -> Result<Answer, KeychainError> {
        do throws(KeychainError) { return .success(try question()) } catch { return .failure(error) }
    }
}

extension DoctorFinding {
    /// A finding for a question that got an error.
    init(_ check: Keychain.Check, _ error: KeychainError) {
        self.init(
            check: check, verdict: .problem, message: VisibleText.sentence(error.message),
            advice: error.advice.isEmpty ? nil : error.advice)
    }
}

/// The result of one check, in words.
struct DoctorFinding: Encodable, Equatable {
    typealias Verdict = Keychain.Finding.Verdict

    /// The check's name, which is part of the machine-readable output.
    let check: String
    let verdict: Verdict
    let message: String
    /// What to do about it.
    let advice: String?

    init(check: Keychain.Check, verdict: Verdict, message: String, advice: String? = nil) {
        self.check = check.rawValue
        self.verdict = verdict
        self.message = message
        self.advice = advice
    }

    /// A finding of the broker's.
    init(_ finding: Keychain.Finding) {
        check = VisibleText.line(finding.check)
        verdict = finding.verdict
        message = VisibleText.sentence(finding.message)
        advice = finding.advice.map(VisibleText.sentence)
    }

    /// The same, with commands as they are run for this vault.
    func naming(_ vault: VaultOptions?) -> DoctorFinding {
        guard let vault else { return self }
        return DoctorFinding(check, verdict, vault.naming(message), advice.map(vault.naming))
    }

    private init(_ check: String, _ verdict: Verdict, _ message: String, _ advice: String?) {
        (self.check, self.verdict, self.message, self.advice) = (check, verdict, message, advice)
    }

    /// Whether both ask for the same thing to be done.
    func isSameTask(as other: DoctorFinding) -> Bool {
        guard verdict == .problem, other.verdict == .problem else { return false }
        return message == other.message && advice == other.advice
    }

    /// The finding as one line for a person.
    var line: String {
        let mark =
            switch verdict {
            case .ok: "ok     "
            case .note: "note   "
            case .problem: "TO DO  "
            }
        return mark + message + (advice.map { "; \($0)" } ?? "")
    }
}
