import Coffer
import FoundationEssentials

/// JSON for other programs. The keys are sorted, so that two runs can be compared.
enum JSONText {
    static func of(_ value: some Encodable, pretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Replaces characters that are not to be seen by JSON escapes, which mean the same. They occur only within strings, because all else is ASCII.
    private static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
        return VisibleText.escaped(text, .json, keeping: ["\n"])
    }
}
