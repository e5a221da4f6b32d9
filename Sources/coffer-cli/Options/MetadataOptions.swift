import ArgumentParser
import Coffer

/// The options for everything in an item but its value.
struct MetadataOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
    var label: String?

    @Option(help: ArgumentHelp("A remark.", valueName: "text"))
    var comment: String?

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp("Something to search by. May be repeated.", valueName: "key=value"),
        transform: AttributeArgument.init(parsing:))
    var pairs: [AttributeArgument] = []

    @Option(
        help: ArgumentHelp(
            "When it expires: 12h, 30d, 6w, 1y, a date such as 2027-01-31, or never.", valueName: "time"),
        transform: ExpirationArgument.init(parsing:))
    var expires: ExpirationArgument?

    func validate() throws {
        guard Set(pairs.map(\.key)).count == pairs.count else { throw ValidationError("--attribute names a key twice") }
        if let label { try NameArgument.check(label, "label", limit: ItemLimits.label) }
        if let comment { try NameArgument.check(comment, "comment", limit: ItemLimits.comment) }
        for pair in pairs { try NameArgument.check(pair.key + pair.value, "attribute", limit: ItemLimits.attribute) }
    }

    /// All attributes for an item: its former ones, changed by those named. An empty value removes an attribute.
    /// - Returns: nil if no attribute was named.
    func attributes(over former: [String: String]) -> [String: String]? {
        guard let attributes else { return nil }
        return former.merging(attributes) { $1 }.filter { key, value in !value.isEmpty || attributes[key] == nil }
    }

    /// nil if no attribute was named.
    var attributes: [String: String]? {
        pairs.isEmpty ? nil : Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) })
    }
}

/// `key=value`
struct AttributeArgument {
    let key: String
    let value: String

    init(parsing argument: String) throws {
        guard let (key, value) = argument.halves(at: "="), !key.isEmpty else {
            throw ValidationError("an attribute is written key=value")
        }
        self.key = key
        self.value = value
    }
}

/// The length of a generated password. The policy says which ones are possible.
struct LengthArgument: Equatable {
    /// What stands for the policy's usual length.
    static let usual = "usual"

    /// nil for the policy's usual length.
    let count: Int?

    static func isLength(_ text: String) -> Bool {
        Int(text).map { count in PasswordPolicy.allCases.contains { $0.lengths.contains(count) } } ?? false
    }

    init(parsing argument: String) throws {
        guard argument != Self.usual else {
            count = nil
            return
        }
        guard let count = Int(argument), NumberLimits.passwordLength.upperBound >= count, count > 0 else {
            throw ValidationError(
                "a length is a number from \(NumberLimits.passwordLength.lowerBound) to \(NumberLimits.passwordLength.upperBound)"
            )
        }
        self.count = count
    }
}

/// A number of seconds: 45, 45s, 2m.
struct SecondsArgument: Equatable {
    let seconds: Int

    init(parsing argument: String) throws {
        guard let parsed = SecondsArgument(argument) else {
            throw ValidationError("a time is 1s to 3600s, or 1m to 60m")
        }
        self = parsed
    }

    init?(_ text: String) {
        var digits = text[...]
        let unit = text.last == "m" ? 60 : 1
        if let last = text.last, last == "s" || last == "m" { digits = digits.dropLast() }
        guard let count = Int(digits), count <= NumberLimits.clipboardSeconds.upperBound,
            NumberLimits.clipboardSeconds.contains(count * unit)
        else { return nil }
        seconds = count * unit
    }

    /// The time in words.
    var spoken: String { "\(seconds) second\(seconds == 1 ? "" : "s")" }
}
