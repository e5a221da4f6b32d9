/// The name of one field of an item, of 1 to 128 bytes in UTF-8 and without control characters. Names are compared byte
/// for byte.
///
/// ```swift
/// let pin: FieldName = "pin"
/// print(pin, FieldName.otp)
/// ```
public struct FieldName: Sendable, Hashable, CustomStringConvertible {
    /// The field that an item's value is in: a password, a token, a key.
    public static let secret = FieldName(valid: "secret")
    /// The seed of the item's one-time codes.
    public static let otp = FieldName(valid: "otp")
    /// Notes of several lines.
    public static let notes = FieldName(valid: "notes")

    /// The name itself.
    public let text: String

    private init(valid text: String) { self.text = text }

    /// A name that comes from elsewhere.
    /// - Returns: nil for an empty text, for more than 128 bytes, and for control characters.
    public init?(_ text: String) {
        guard (1...ItemLimits.fieldName).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(valid: text)
    }

    package var bytes: [UInt8] { Array(text.utf8) }

    /// Compares bytes, because two different names can be equal in Unicode.
    public static func == (one: FieldName, other: FieldName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the same bytes.
    public func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

    /// The name itself.
    public var description: String { text }
}

extension FieldName: ExpressibleByStringLiteral {
    /// A name that stands in the source. No text from elsewhere can come here.
    public init(stringLiteral text: StaticString) {
        // `preconditionFailure`: a literal is the programmer's own text, and a wrong one is seen in the first run.
        guard let name = FieldName("\(text)") else { preconditionFailure("“\(text)” cannot be the name of a field") }
        self = name
    }
}
