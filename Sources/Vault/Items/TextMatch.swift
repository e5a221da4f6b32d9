/// Looks for a text in others, whatever their case.
struct TextMatch {
    /// In lower case.
    private let text: String
    /// Its bytes, if all of them are ASCII.
    private let bytes: [UInt8]?

    init(_ text: String) {
        self.text = text.lowercased()
        let bytes = Array(self.text.utf8)
        self.bytes = bytes.allSatisfy { $0 < 0x80 } ? bytes : nil
    }

    var isEmpty: Bool { text.isEmpty }

    func isIn(_ metadata: Metadata) -> Bool {
        isIn(metadata.service) || isIn(metadata.account) || metadata.label.map(isIn) ?? false
            || metadata.comment.map(isIn) ?? false
    }

    func isIn(_ other: String) -> Bool {
        if let bytes, let isIn = Self.isIn(other.utf8.span, bytes) { return isIn }
        return isInByCharacters(other)
    }

    /// The same, slowly.
    func isInByCharacters(_ other: String) -> Bool { other.lowercased().contains(text) }

    /// Compares bytes, which is the same as comparing characters and many times faster as long as each byte is a
    /// character.
    ///
    /// - Returns: nil if some byte is not.
    private static func isIn(_ other: Span<UInt8>, _ bytes: [UInt8]) -> Bool? {
        for place in other.indices {
            // A carriage return and a line feed are one character.
            guard other[place] < 0x80, other[place] != UInt8(ascii: "\r") else { return nil }
        }
        guard other.count >= bytes.count else { return false }
        for start in 0...(other.count - bytes.count) {
            var length = 0
            while length < bytes.count, lowercase(other[start + length]) == bytes[length] { length += 1 }
            if length == bytes.count { return true }
        }
        return false
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
