import Coffer

/// The outcome for one item of an old vault.
struct RestoredItem: Encodable {
    enum Outcome: String {
        case restored
        /// The item was for its old device only.
        case lost
        /// The vault has the same values already.
        case same
        /// An item of this name exists already, and it stays.
        case kept
        case expired
        /// The present vault did not accept it.
        case refused
    }

    let service: String
    let account: String
    /// nil for a generic item.
    let kind: String?
    let outcome: Outcome
    /// The reason in words, if the outcome does not say enough.
    var reason: String?
    /// Whether nothing was stored.
    var isTrial = false

    /// Whether the item could have been restored but was not.
    var isMissing: Bool { outcome == .kept || outcome == .refused }

    private var word: String { isTrial && outcome == .restored ? "would restore" : outcome.rawValue }

    var line: String {
        let width = isTrial ? 15 : 10
        return word + String(repeating: " ", count: max(0, width - word.count))
            + VisibleText.name(
                service: service, account: account, kind: kind.flatMap(ItemKind.init(rawValue:)))
            + (reason.map { "  (\(VisibleText.sentence($0)))" } ?? "")
    }

    func encode(to encoder: any Encoder) throws {
        try OutcomeRecord(outcome: word, service: service, account: account, kind: kind, reason: reason)
            .encode(to: encoder)
    }

    /// - Parameter total: how many items the file has. An error can have ended it before the last one.
    static func summary(of items: [RestoredItem], total: Int, isTrial: Bool) -> String {
        func count(_ outcome: Outcome) -> Int { items.count { $0.outcome == outcome } }
        var parts = ["\(isTrial ? "Would restore" : "Restored") \(count(.restored)) of \(total) items"]
        if count(.lost) > 0 { parts.append("\(count(.lost)) lost, for the old device only") }
        if count(.same) > 0 { parts.append("\(count(.same)) there already") }
        if count(.kept) > 0 {
            let (are, ones) = count(.kept) == 1 ? ("it is", "one") : ("they are", "ones")
            parts.append("\(count(.kept)) kept as \(are) here; to restore the old \(ones), use --replace")
        }
        if count(.expired) > 0 { parts.append("\(count(.expired)) expired") }
        if count(.refused) > 0 { parts.append("\(count(.refused)) refused") }
        return parts.joined(separator: "; ")
    }
}
