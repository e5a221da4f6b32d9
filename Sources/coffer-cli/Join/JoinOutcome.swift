import Coffer

/// What became of a companion, in words.
struct JoinOutcome {
    let isJoined: Bool
    private let companion: Companion
    /// Why it was refused, or what stays behind.
    private let reason: String?
    private let isTrial: Bool

    /// - Parameter obstacle: why it was refused; nil if it was not.
    init(_ companion: Companion, _ obstacle: String?, isTrial: Bool) {
        self.companion = companion
        self.isTrial = isTrial
        isJoined = obstacle == nil
        let left = companion.leftBehind
        reason = obstacle ?? (left.isEmpty ? nil : "without its \(left.joined(separator: ", "))")
    }

    var line: String {
        let word = isJoined ? isTrial ? "would join" : "joined" : "refused"
        let width = isTrial ? 11 : 8
        let name = word + String(repeating: " ", count: max(1, width - word.count)) + companion.item.shownName
        let field = FieldText.shown(companion.target.shownName, companion.field)
        let details = isJoined ? ["now \(field)"] + [reason].compactMap { $0 } : [reason ?? ""]
        return name + "  (\(VisibleText.sentence(details.joined(separator: "; "))))"
    }

    static func summary(of outcomes: [JoinOutcome], isTrial: Bool) -> String {
        let joined = outcomes.count(where: \.isJoined)
        let refused = outcomes.count - joined
        return "\(isTrial ? "Would join" : "Joined") \(joined) secret\(joined == 1 ? "" : "s")"
            + (refused > 0 ? "; refused \(refused)" : "")
    }
}
