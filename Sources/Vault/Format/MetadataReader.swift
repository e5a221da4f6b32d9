import FoundationEssentials

extension Metadata {
    /// Reads metadata as it was sealed.
    ///
    /// - Parameter start: where the text begins.
    /// - Throws: `.damaged`.
    init(text bytes: [UInt8], from start: Int) throws(VaultError) {
        var reader = MetadataReader(bytes, from: start)
        if let metadata = reader.read() {
            self = metadata
            return
        }
        // Not as Coffer writes it today. The decoder decides.
        do { self = try JSONDecoder().decode(Metadata.self, from: Data(bytes[start...])) } catch {
            throw .damaged("an item's metadata cannot be read", cause: error)
        }
    }
}

/// Reads JSON of exactly the form that Coffer writes metadata in: known names, each once, no white space, whole numbers.
/// It reads many items in a list, and so is made for speed. What it does not know, it leaves to a decoder.
struct MetadataReader {
    private let bytes: [UInt8]
    private var place: Int

    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        place = start
    }

    private struct Members {
        var service: String?
        var account: String?
        var kind: ItemKind?
        var label: String?
        var comment: String?
        var attributes: [String: String]?
        var created: UInt64?
        var modified: UInt64?
        var valueSet: UInt64?
        var expires: UInt64?
        var biometrySet: String?
    }

    /// - Returns: nil for any other text.
    mutating func read() -> Metadata? {
        var members = Members()
        let isWhole = object { reader, name in
            switch name {
            case "service": Self.set(&members.service, reader.string())
            case "account": Self.set(&members.account, reader.string())
            // A generic item has no kind in its metadata.
            case "kind":
                Self.set(&members.kind, reader.string().flatMap(ItemKind.init).flatMap { $0 == .generic ? nil : $0 })
            case "label": Self.set(&members.label, reader.string())
            case "comment": Self.set(&members.comment, reader.string())
            case "attributes": Self.set(&members.attributes, reader.attributes())
            case "created": Self.set(&members.created, reader.number())
            case "modified": Self.set(&members.modified, reader.number())
            case "valueSet": Self.set(&members.valueSet, reader.number())
            case "expires": Self.set(&members.expires, reader.number())
            case "biometrySet": Self.set(&members.biometrySet, reader.string())
            default: false
            }
        }
        guard isWhole, place == bytes.count, let service = members.service, let account = members.account,
            let attributes = members.attributes, let created = members.created, let modified = members.modified,
            let valueSet = members.valueSet
        else { return nil }
        return Metadata(
            service: service, account: account, kind: members.kind ?? .generic, label: members.label,
            comment: members.comment, attributes: attributes, created: created, modified: modified,
            valueSet: valueSet, expires: members.expires, biometrySet: members.biometrySet)
    }

    /// - Returns: whether there is a value, and it is the member's first.
    private static func set<Value>(_ member: inout Value?, _ value: Value?) -> Bool {
        guard member == nil, let value else { return false }
        member = value
        return true
    }

    private mutating func attributes() -> [String: String]? {
        var attributes: [String: String] = [:]
        let isWhole = object { reader, name in
            guard let value = reader.string() else { return false }
            return attributes.updateValue(value, forKey: name) == nil
        }
        return isWhole ? attributes : nil
    }

    /// - Parameter member: reads the value of the member with this name.
    /// - Returns: whether this is an object, and `member` has read all of its values.
    private mutating func object(_ member: (inout MetadataReader, String) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard let name = string(), take(UInt8(ascii: ":")), member(&self, name) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    /// A whole number without sign, fraction and exponent.
    private mutating func number() -> UInt64? {
        let start = place
        var number: UInt64 = 0
        while place < bytes.count, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10 {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = tens.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isTooMuch else { return nil }
            number = sum
            place += 1
        }
        guard place > start, place == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return number
    }

    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                defer { place += 1 }
                return Self.text(bytes.span.extracting(start..<place))
            case UInt8(ascii: "\\"): return escapedString(from: start)
            case ..<0x20: return nil
            default: place += 1
            }
        }
        return nil
    }

    /// The rest of a string that has an escape.
    private mutating func escapedString(from start: Int) -> String? {
        var content = Array(bytes[start..<place])
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return Self.text(content.span)
            case UInt8(ascii: "\\"):
                guard let character = escaped() else { return nil }
                content += Array(String(character).utf8)
            case ..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        switch bytes[place] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard bytes.count - place > 4 else { return nil }
            var code: UInt32 = 0
            for _ in 0..<4 {
                place += 1
                guard let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue, bytes[place] < 0x80 else {
                    return nil
                }
                code = code << 4 | UInt32(digit)
            }
            // Coffer does not write halves of a pair.
            return Unicode.Scalar(code)
        default: return nil
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> String? {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch { return nil }
    }
}
