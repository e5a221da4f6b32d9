import BrokerProtocol
import Coffer

/// Finds what an import stored beside a login before there were fields. It names what a list names, and reads no value.
enum CompanionCheck: DoctorCheck {
    private static let check = Keychain.Check.companions

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let items) = facts.items else { return [] }
        // Somebody can have accounts with colons. Only names that imports gave are worth a note at each run.
        let companions = Companion.all(of: items).filter(\.isUsual)
        guard let first = companions.first else { return [] }
        let field = FieldText.shown(first.target.shownName, first.field)
        let message =
            companions.count == 1
            ? "\(first.item.shownName) can be \(field)"
            : "\(companions.count) secrets can be fields of others, as \(first.item.shownName) of \(first.target.shownName)"
        return [
            DoctorFinding(
                check: check, verdict: .note, message: message,
                advice: "see what would be done with: coffer edit --join --dry-run")
        ]
    }
}
