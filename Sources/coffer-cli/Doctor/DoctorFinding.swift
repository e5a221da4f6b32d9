import BrokerProtocol
import Coffer

/// What one check found, in words.
struct DoctorFinding: Encodable, Equatable {
    typealias Verdict = Keychain.Finding.Verdict

    /// The check's name; part of the machine-readable output.
    let check: String
    let verdict: Verdict
    let message: String
    /// What to do.
    let advice: String?

    init(check: Keychain.Check, verdict: Verdict, message: String, advice: String? = nil) {
        self.check = check.rawValue
        self.verdict = verdict
        self.message = message
        self.advice = advice
    }

    /// What the broker found.
    init(_ finding: Keychain.Finding) {
        check = VisibleText.line(finding.check)
        verdict = finding.verdict
        message = VisibleText.sentence(finding.message)
        advice = finding.advice.map(VisibleText.sentence)
    }

    /// As a person reads it.
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
