import BrokerProtocol
import Coffer

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
