import FoundationEssentials

/// Base64 without padding, and only in its canonical form.
enum AgeBase64 {
    static func encode(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    /// - Returns: nil for padding, other characters, and any other spelling of the same bytes.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let text = String(decoding: Array(text), as: UTF8.self)
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: text + padding).map(Array.init), encode(bytes) == text else { return nil }
        return bytes
    }
}
