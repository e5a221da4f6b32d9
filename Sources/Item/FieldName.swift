/// The name of one field of an item (docs/vault-format.md, "field"). Names are compared byte for byte.
package struct FieldName: Sendable, Hashable, CustomStringConvertible {
    /// The field that `get` gives: a password, a token, a key.
    package static let secret = FieldName(valid: "secret")

    package let text: String

    private init(valid text: String) { self.text = text }

    /// - Returns: nil for an empty text, for more than ``ItemLimits/fieldName`` bytes, and for control characters.
    package init?(_ text: String) {
        guard (1...ItemLimits.fieldName).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(valid: text)
    }

    package var bytes: [UInt8] { Array(text.utf8) }

    /// Compares bytes, because two different names can be equal in Unicode.
    package static func == (one: FieldName, other: FieldName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

    package var description: String { text }
}
