import Coffer
import Import

/// What became of one secret of an import.
struct ImportOutcome: Encodable {
    enum Outcome: String {
        case imported
        case replaced
        /// The vault has the same value already.
        case same
        /// The vault has the same value already, and it is harder to read from now on.
        case stricter
        /// The vault had the same value in an item of its own. Now the field has it.
        case joined
        /// The vault has another value, which stays.
        case kept
        /// Its time was over before the import.
        case expired
        /// The file has the same secret twice.
        case repeated
        /// Not imported: an entry that cannot be read, or a part that has no place in a vault.
        case leftOut = "left out"
    }

    var outcome: Outcome
    /// nil for what is left out.
    var service: String?
    var account: String?
    var kind: String?
    /// nil for the field secret.
    var field: String?
    /// Where it is in the file: `line 7`.
    var place: String
    var reason: String?
    /// Whether nothing was stored.
    var isTrial = false
    /// Whether the file says something about the secret that the vault does not have.
    var isPartial = false

    init(_ item: ImportedItem, _ outcome: Outcome, _ reason: String? = nil) {
        self.outcome = outcome
        service = item.service
        account = item.account
        kind = item.kind
        field = item.field?.name
        place = item.place.description
        let remarks = [item.remark, reason].compactMap { $0 }
        self.reason = remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }

    init(_ problem: ImportProblem, _ outcome: Outcome = .leftOut) {
        self.outcome = outcome
        place = problem.place.description
        reason = problem.reason
    }

    /// Whether the vault was changed, unless it is a trial.
    var isDone: Bool { [.imported, .replaced, .stricter, .joined].contains(outcome) }

    private var word: String {
        switch outcome {
        case .imported where isTrial: "would import"
        case .replaced where isTrial: "would replace"
        case .stricter where isTrial: "would tighten"
        case .joined where isTrial: "would join"
        case .kept where isTrial: "differs"
        default: outcome.rawValue
        }
    }

    /// nil for what is left out.
    private var item: ItemName? {
        service.map {
            ItemName(
                service: $0, account: account ?? "",
                itemClass: kind.flatMap(ItemKind.init(rawValue:)) ?? .genericPassword)
        }
    }

    func encode(to encoder: any Encoder) throws {
        try OutcomeRecord(
            outcome: word, service: service, account: account, kind: kind, field: field, place: place, reason: reason
        ).encode(to: encoder)
    }

    var line: String {
        let width = isTrial ? 15 : 10
        let place = VisibleText.sentence(place)
        var text = word + String(repeating: " ", count: max(1, width - word.count))
        if let service {
            let name = VisibleText.name(
                service: service, account: account, kind: kind.flatMap(ItemKind.init(rawValue:)))
            text += FieldText.shown(name, field.flatMap(FieldName.init))
            let details = [place, reason.map(VisibleText.sentence) ?? ""].filter { !$0.isEmpty }
            if !details.isEmpty { text += "  (\(details.joined(separator: ": ")))" }
        } else {
            text += (place.isEmpty ? "" : place + ": ") + VisibleText.sentence(reason ?? "")
        }
        return text
    }

    /// - Parameter replaces: whether the person has given --replace.
    static func summary(of outcomes: [ImportOutcome], isTrial: Bool, replaces: Bool) -> String {
        func count(_ outcome: Outcome) -> Int { outcomes.count { $0.outcome == outcome } }
        // As an export counts them: a secret is one, with all of its fields.
        let fields = outcomes.filter { $0.outcome == .imported }
        let secrets = Set(fields.compactMap(\.item)).count
        var stored = "\(isTrial ? "Would import" : "Imported") \(secrets) secret\(secrets == 1 ? "" : "s")"
        if fields.count > secrets { stored += " with \(fields.count) fields" }
        var parts = [stored]
        if count(.replaced) > 0 { parts.append("\(isTrial ? "would replace" : "replaced") \(count(.replaced))") }
        if count(.stricter) > 0 {
            parts.append("\(isTrial ? "would make" : "made") \(count(.stricter)) there already stricter")
        }
        if count(.joined) > 0 {
            parts.append("\(isTrial ? "would make" : "made") fields of \(count(.joined)) there already")
        }
        if count(.same) > 0 { parts.append("\(count(.same)) there already") }
        if count(.kept) > 0 {
            // What is kept nevertheless, its own line says.
            parts.append(
                "\(count(.kept)) with another value in your vault, which stays"
                    + (replaces ? "" : "; to replace those, use --replace"))
        }
        if count(.expired) > 0 { parts.append("\(count(.expired)) expired") }
        if count(.repeated) > 0 { parts.append("\(count(.repeated)) twice in the file") }
        if count(.leftOut) > 0 { parts.append("left out \(count(.leftOut))") }
        return parts.joined(separator: "; ")
    }
}
