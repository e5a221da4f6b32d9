import Coffer
import FoundationEssentials

/// Prints a secret.
enum SecretOutput {
    /// The output of `--json`.
    struct Record: Encodable {
        var item: ItemDescription
        /// Left out for the field secret.
        var field: String?
        /// Present only if the value is UTF-8.
        var value: String?
        var valueBase64: String

        init(_ item: ItemAttributes, _ field: FieldName?, _ bytes: [UInt8]) {
            self.item = ItemDescription(item)
            self.field = field == .secret ? nil : field?.text
            value = String(validating: bytes, as: UTF8.self)
            valueBase64 = Data(bytes).base64EncodedString()
        }
    }

    /// The bytes unchanged; on a terminal a newline follows.
    /// - Parameters:
    ///   - name: whose value it is, for errors.
    ///   - raw: show even what a terminal would obey.
    static func value(_ value: [UInt8], of name: @autoclosure () -> String, raw: Bool) throws {
        guard Output.isTerminal else { return try Output.bytes(value) }
        guard raw || TerminalText.isHarmless(value) else { throw harmful("the value of \(name())") }
        try Output.bytes(value + [UInt8(ascii: "\n")])
    }

    /// A text with secrets in it, unchanged.
    static func text(_ text: [UInt8], raw: Bool) throws {
        guard raw || !Output.isTerminal || TerminalText.isHarmless(text) else { throw harmful("the text") }
        try Output.bytes(text)
    }

    private static func harmful(_ what: String) -> KeychainError {
        KeychainError(
            .failed, "\(what) has characters that a terminal would obey, so it is not shown",
            advice: "pipe it, as in: … | od -c; or show it with --raw")
    }
}
