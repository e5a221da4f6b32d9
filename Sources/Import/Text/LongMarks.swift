import Platform

/// Finds text that takes long to compare (``CombiningMarks``) in a file, before it becomes a `String`.
enum LongMarks {
    /// Escapes of JSON count as what they stand for, in every format: no other text has hundreds of them in a row.
    /// - Throws: ``UnreadableFile`` with the line of a run of marks that is too long.
    static func refuse(in bytes: ArraySlice<UInt8>) throws(UnreadableFile) {
        var (line, run, at) = (1, 0, bytes.startIndex)
        while at < bytes.endIndex {
            guard bytes[at] >= 0x80 || bytes[at] == UInt8(ascii: "\\"), let found = scalar(bytes[at...]) else {
                if bytes[at] == UInt8(ascii: "\n") { line += 1 }
                run = 0
                at += 1
                continue
            }
            at += found.length
            run = found.scalar.properties.canonicalCombiningClass != .notReordered ? run + 1 : 0
            guard run <= CombiningMarks.most else {
                throw UnreadableFile(
                    "it has more than \(CombiningMarks.most) combining marks in a row", at: ImportPlace(line: line),
                    advice: "no language needs them; remove them there")
            }
        }
    }

    private typealias Found = (scalar: Unicode.Scalar, length: Int)

    /// What bytes begin with; nil for what is no UTF-8, and for a backslash that begins no `\u`.
    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Found? {
        guard let first = bytes.first else { return nil }
        guard first >= 0xC2 else { return escaped(bytes) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let rest = bytes.prefix(length).dropFirst()
        guard rest.count == length - 1, rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return nil }
        let value = rest.reduce(UInt32(first) & (0xFF >> UInt32(length + 1))) { $0 << 6 | UInt32($1 & 0x3F) }
        return Unicode.Scalar(value).map { ($0, length) }
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> Found? {
        guard let unit = unit(bytes) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, escape) }
        guard UTF16.isLeadSurrogate(unit), let trail = self.unit(bytes.dropFirst(escape)),
            UTF16.isTrailSurrogate(trail)
        else { return nil }
        let value = 0x1_0000 + ((UInt32(unit) & 0x3FF) << 10) + (UInt32(trail) & 0x3FF)
        return Unicode.Scalar(value).map { ($0, 2 * escape) }
    }

    /// The bytes of `\u0301`.
    private static let escape = 6

    private static func unit(_ bytes: ArraySlice<UInt8>) -> UInt16? {
        let part = bytes.prefix(escape)
        guard part.count == escape, part.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        return UInt16(String(decoding: part.dropFirst(2), as: UTF8.self), radix: 16)
    }
}
