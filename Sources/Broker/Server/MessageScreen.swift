/// What a message must be before a JSON parser sees it: cheap to check, and it takes the parser's worst cases away.
enum MessageScreen {
    /// Deeper than any message of ours needs, shallower than any stack minds.
    static let deepest = 32
    /// More than the longest list of ours has. What a parser does with each is what a message costs, not its bytes.
    static let mostValues = 20_000

    /// - Returns: what is wrong, in words; nil when the message may be parsed.
    static func problem(with message: [UInt8]) -> String? {
        guard message.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) == UInt8(ascii: "{") else {
            return "a message is one JSON object, ended by a zero byte"
        }
        // The text is not kept: only its being UTF-8 counts.
        guard (try? UTF8Span(validating: message.span)) != nil else { return "the message is not UTF-8" }
        var depth = 0
        var values = 0
        var isInString = false
        var isEscaped = false
        for byte in message {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                values += 1
                if depth > deepest { return "the message is nested deeper than \(deepest) levels" }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): values += 1
            default: break
            }
            if values > mostValues { return "the message has more than \(mostValues) values" }
        }
        return nil
    }
}
