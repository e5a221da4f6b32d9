/// A stored value: JSON that tells whole numbers from others.
///
/// Migration steps work on it:
/// ```swift
/// let migration = SettingsMigration(from: 1) { json in
///     json["fontSize"] = json["size"] ?? 12
///     json["size"] = nil
/// }
/// ```
public enum SettingsJSON: Sendable, Hashable {
    /// JSON's null.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number, exactly.
    case integer(Int64)
    /// Another number. It is finite.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([SettingsJSON])
    /// Names and values.
    case object([String: SettingsJSON])

    /// Texts and names are the same if their bytes are, and numbers if their bits are. Swift's own `==` takes the two
    /// ways to write an accent for the same text.
    public static func == (left: SettingsJSON, right: SettingsJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): Self.areSame(left, right)
        default: false
        }
    }

    private static func areSame(_ left: [String: SettingsJSON], _ right: [String: SettingsJSON]) -> Bool {
        guard left.count == right.count else { return false }
        return left.allSatisfy { name, value in
            guard let place = right.index(forKey: name) else { return false }
            return right[place].key.utf8.elementsEqual(name.utf8) && right[place].value == value
        }
    }

    /// A member of an object; nil if it has none of this name, or if this is no object. Setting nil removes the member.
    /// Setting a member of anything else makes an object of it.
    public subscript(name: String) -> SettingsJSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            var members: [String: SettingsJSON] = [:]
            if case .object(let present) = self { members = present }
            members[name] = newValue
            self = .object(members)
        }
    }
}

extension SettingsJSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    // There is no nil literal: beside optionals, nobody could tell null from nothing.
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: SettingsJSON...) { self = .array(elements) }

    /// If a name comes twice, its last value counts.
    public init(dictionaryLiteral elements: (String, SettingsJSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension SettingsJSON {
    /// The JSON text, with the members of objects in the order of their names.
    /// - Throws: ``SettingsError/Code/notStorable`` for a number that is not finite, ``SettingsError/Code/limitExceeded``
    ///   for too deep nesting.
    func text(depth: Int = SettingsLimits.depth) throws(SettingsError) -> String {
        var text = ""
        try write(to: &text, depth: depth)
        return text
    }

    private func write(to text: inout String, depth: Int) throws(SettingsError) {
        guard depth >= 0 else { throw .tooDeep }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value):
            guard value.isFinite else { throw .notFinite }
            text += value.description
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements):
            text += "["
            var isFirst = true
            for element in elements {
                if !isFirst { text += "," }
                isFirst = false
                try element.write(to: &text, depth: depth - 1)
            }
            text += "]"
        case .object(let members):
            text += "{"
            var isFirst = true
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                if !isFirst { text += "," }
                isFirst = false
                Self.write(name, to: &text)
                text += ":"
                try value.write(to: &text, depth: depth - 1)
            }
            text += "}"
        }
    }

    static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension SettingsError {
    static let notFinite = SettingsError(.notStorable, "the number is not finite")
    static let tooDeep = SettingsError(
        .limitExceeded, "the value is nested deeper than \(SettingsLimits.depth) levels")
}
