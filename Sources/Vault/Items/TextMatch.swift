/// Looks for a text in others, without regard to case.
struct TextMatch {
    /// In lower case.
    private let text: String
    /// Its bytes, if all of them are ASCII.
    private let bytes: [UInt8]?
    /// For each of these bytes, how many bytes up to it are also the first ones (Knuth, Morris and Pratt, 1977). With
    /// that, a search reads each byte of the other text once.
    private let borders: [Int]

    init(_ text: String) {
        self.text = text.lowercased()
        let bytes = Array(self.text.utf8)
        self.bytes = bytes.allSatisfy { $0 < 0x80 } ? bytes : nil
        var borders = [Int](repeating: 0, count: bytes.count)
        var length = 0
        for place in bytes.indices.dropFirst() {
            while length > 0, bytes[place] != bytes[length] { length = borders[length - 1] }
            if bytes[place] == bytes[length] { length += 1 }
            borders[place] = length
        }
        self.borders = borders
    }

    var isEmpty: Bool { text.isEmpty }

    func isIn(_ metadata: Metadata) -> Bool {
        isIn(metadata.service) || isIn(metadata.account) || metadata.label.map(isIn) ?? false
            || metadata.comment.map(isIn) ?? false
    }

    func isIn(_ other: String) -> Bool {
        if let bytes, let isIn = isIn(other.utf8.span, bytes) { return isIn }
        return isInByCharacters(other)
    }

    /// The same, slowly.
    func isInByCharacters(_ other: String) -> Bool { other.lowercased().contains(text) }

    /// Compares bytes, which is the same as comparing characters and many times faster as long as each byte is a
    /// character.
    ///
    /// - Returns: nil if some byte is not.
    private func isIn(_ other: Span<UInt8>, _ bytes: [UInt8]) -> Bool? {
        for place in other.indices {
            // A carriage return and a line feed are one character.
            guard other[place] < 0x80, other[place] != UInt8(ascii: "\r") else { return nil }
        }
        var length = 0
        for place in other.indices where length < bytes.count {
            let byte = Self.lowercase(other[place])
            while length > 0, byte != bytes[length] { length = borders[length - 1] }
            if byte == bytes[length] { length += 1 }
        }
        return length == bytes.count
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
