import ArgumentParser
import Coffer

/// A part of a secret that a command names, as `--part` takes it.
enum ConflictPart: Equatable {
    case field(FieldName)
    case name, label, comment, expiry
    case attribute(String)

    /// The part of a conflict; nil for one that this version does not know.
    init?(_ conflict: Sync.Conflict) {
        switch (conflict.part, conflict.name) {
        case ("field", let name?):
            guard let field = FieldName(name) else { return nil }
            self = .field(field)
        case ("attribute", let name?): self = .attribute(name)
        case (let part, nil):
            guard let plain = Self.plain(part) else { return nil }
            self = plain
        default: return nil
        }
    }

    static func parse(_ text: String) throws(ValidationError) -> ConflictPart {
        try NameArgument.check(text, "part", limit: ItemLimits.attribute)
        if let plain = plain(text) { return plain }
        let prefix = "attribute:"
        guard text.hasPrefix(prefix), text.count > prefix.count else {
            throw ValidationError(
                "a part is name, label, comment, expiry or attribute:NAME; a field is named by --field")
        }
        return .attribute(String(text.dropFirst(prefix.count)))
    }

    private static func plain(_ word: String) -> ConflictPart? {
        switch word {
        case "name": .name
        case "label": .label
        case "comment": .comment
        case "expiry": .expiry
        default: nil
        }
    }

    /// The part in a table: a field by its name.
    var shown: String {
        switch self {
        case .field(let field): VisibleText.line(field.text)
        case .attribute(let name): "attribute \(VisibleText.line(name))"
        case .name: "(name)"
        case .label: "(label)"
        case .comment: "(comment)"
        case .expiry: "(expiry)"
        }
    }

    /// The options that name it on a command line.
    var words: [String] {
        switch self {
        case .field(let field): FieldOptions.words(field)
        case .attribute(let name): ["--part", "attribute:\(name)"]
        case .name: ["--part", "name"]
        case .label: ["--part", "label"]
        case .comment: ["--part", "comment"]
        case .expiry: ["--part", "expiry"]
        }
    }

    var isField: Bool {
        if case .field = self { true } else { false }
    }
}
