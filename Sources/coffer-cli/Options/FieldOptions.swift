import ArgumentParser
import Coffer

/// The field of the secret that a command names.
struct FieldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The field that is meant; by default the one named secret.", valueName: "name"),
        transform: FieldArgument.parse)
    var field: FieldName?

    /// The options to add to a command that a person is told to run.
    static func words(_ field: FieldName?) -> [String] {
        guard let field, field != .secret else { return [] }
        // A name that begins with a dash would be read as an option.
        return field.text.hasPrefix("-") ? ["--field=\(field.text)"] : ["--field", field.text]
    }
}

/// The name of a field, as an argument.
enum FieldArgument {
    static func parse(_ text: String) throws(ValidationError) -> FieldName {
        try NameArgument.check(text, "field's name", limit: ItemLimits.fieldName)
        guard let name = FieldName(text) else {
            throw ValidationError(
                "a field's name has 1 to \(ItemLimits.fieldName) bytes, and no control characters")
        }
        return name
    }
}

/// A field in words.
enum FieldText {
    /// An item's name with a field of it: github/me, field pin. The field secret is not named.
    static func shown(_ item: String, _ field: FieldName?) -> String {
        guard let field, field != .secret else { return item }
        return "\(item), field \(VisibleText.quoted(field.text))"
    }
}

extension PartialName {
    /// The name with its field: github/me, field pin.
    var shownField: String { FieldText.shown(shownName, field) }
}

extension ItemAttributes {
    /// Whether it has more than the field secret.
    var hasNamedFields: Bool { fields.map(\.name) != [.secret] }

    func field(_ name: FieldName) -> Field? { fields.first { $0.name == name } }

    /// Whether it has a field besides this one. All fields of an item have one access control and one application password.
    func hasFields(beside name: FieldName) -> Bool { fields.contains { $0.name != name } }
}
