import Foundation

/// JSON as text: a key may occur twice, and a number is what is written.
enum JSONTree {
    case object([Member])
    case array([JSONTree])
    case text(String)
    case number(String)
    case word(String)

    struct Member {
        var key: String
        var value: JSONTree
    }

    /// - Parameter bytes: as one of Coffer's encoders has written them.
    init(parsing bytes: [UInt8]) throws { self = try JSONDecoder().decode(Decoded.self, from: Data(bytes)).tree }

    private struct Decoded: Decodable {
        let tree: JSONTree

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                tree = .word("null")
            } else if let flag = try? container.decode(Bool.self) {  // Another kind of value: the next is tried.
                tree = .word("\(flag)")
            } else if let number = try? container.decode(Int64.self) {  // As above.
                tree = .number("\(number)")
            } else if let number = try? container.decode(UInt64.self) {  // As above.
                tree = .number("\(number)")
            } else if let text = try? container.decode(String.self) {  // As above.
                tree = .text(text)
            } else if let elements = try? container.decode([Decoded].self) {  // As above.
                tree = .array(elements.map(\.tree))
            } else {
                let members = try container.decode([String: Decoded].self)
                tree = .object(members.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: $0.value.tree) })
            }
        }
    }

    var written: String {
        switch self {
        case .object(let members):
            "{" + members.map { Self.quoted($0.key) + ":" + $0.value.written }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ",") + "]"
        case .text(let text): Self.quoted(text)
        case .number(let text), .word(let text): text
        }
    }

    private static func quoted(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case _ where scalar.value < 0x20:
                    "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                default: String(scalar)
                }
            }.joined() + "\""
    }
}
