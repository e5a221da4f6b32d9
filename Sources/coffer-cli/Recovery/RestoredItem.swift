import Coffer

/// The outcome for one item of an old vault.
struct RestoredItem: Encodable {
    enum Outcome: String, Encodable {
        case restored
        /// The item was for its old device only.
        case lost
        /// An item of this name exists already, and it stays.
        case kept
        case expired
        /// The present vault did not accept it.
        case refused
    }

    let service: String
    let account: String
    let outcome: Outcome
    /// The reason in words, if the outcome does not say enough.
    var reason: String?

    /// Whether the item could have been restored but was not.
    var isMissing: Bool { outcome == .kept || outcome == .refused }

    /// - Parameter isTrial: whether this was a trial that stored nothing.
    func line(isTrial: Bool) -> String {
        let word = isTrial && outcome == .restored ? "would restore" : outcome.rawValue
        let width = isTrial ? 15 : 10
        return word + String(repeating: " ", count: max(0, width - word.count))
            + VisibleText.name(service: service, account: account)
            + (reason.map { "  (\(VisibleText.sentence($0)))" } ?? "")
    }

    static func summary(of items: [RestoredItem], isTrial: Bool) -> String {
        func count(_ outcome: Outcome) -> Int { items.count { $0.outcome == outcome } }
        var parts = ["\(isTrial ? "Would restore" : "Restored") \(count(.restored)) of \(items.count) items"]
        if count(.lost) > 0 { parts.append("\(count(.lost)) lost, for the old device only") }
        if count(.kept) > 0 {
            parts.append("\(count(.kept)) kept as they are here; to restore the old ones, use --replace")
        }
        if count(.expired) > 0 { parts.append("\(count(.expired)) expired") }
        if count(.refused) > 0 { parts.append("\(count(.refused)) refused") }
        return parts.joined(separator: "; ")
    }
}
