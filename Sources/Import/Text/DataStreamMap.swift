import Platform

/// A map from texts to texts, as `QDataStream` of Qt 4 and later writes a `QMap<QString, QString>`: the number of pairs, then each name and value.
/// A text is its length in bytes and UTF-16. All numbers have 32 bits, the highest byte first.
enum DataStreamMap {
    struct Pair: Equatable {
        var name: String
        var value: String
    }

    /// The length of a text that is not there.
    private static let absent = UInt32.max

    /// - Returns: the pairs, sorted by their names, because Qt has written them in different orders.
    /// - Throws: ``UnreadableFile``, also if anything follows.
    static func read(_ bytes: [UInt8]) throws(UnreadableFile) -> [Pair] {
        var rest = bytes[...]
        let count = try number(&rest)
        guard count <= ImportLimits.fields else {
            throw UnreadableFile("its map has more than \(ImportLimits.fields) fields")
        }
        var pairs: [Pair] = []
        for _ in 0..<count { pairs.append(Pair(name: try text(&rest), value: try text(&rest))) }
        guard rest.isEmpty else { throw UnreadableFile("something follows its map") }
        return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws(UnreadableFile) -> UInt32 {
        guard rest.count >= 4 else { throw cut }
        defer { rest.removeFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws(UnreadableFile) -> String {
        let length = try number(&rest)
        if length == absent { return "" }
        guard length <= rest.count else { throw cut }
        guard length % 2 == 0 else { throw broken }
        let bytes = Array(rest.prefix(Int(length)))
        rest.removeFirst(Int(length))
        let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        guard let text = String(validating: units, as: UTF16.self) else { throw broken }
        guard CombiningMarks.areFew(in: text) else {
            throw UnreadableFile("its map has more than \(CombiningMarks.most) combining marks in a row")
        }
        return text
    }

    private static var cut: UnreadableFile { UnreadableFile("its map is cut off") }
    private static var broken: UnreadableFile { UnreadableFile("its map holds something that is no text") }
}
