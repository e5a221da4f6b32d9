/// A text with references to secrets in double braces (docs/references.md).
struct Template {
    enum Part: Equatable {
        case text([UInt8])
        case secret(SecretReference)
    }

    private(set) var parts: [Part] = []

    /// Why a template cannot be read. The text is not repeated, because it may be a secret in the wrong place.
    struct Mistake: Error, Equatable {
        /// Both begin at 1. A column is a character of UTF-8, or a byte that is none.
        let line: Int
        let column: Int
        let reason: String
        let advice: String
    }

    var references: [SecretReference] {
        parts.compactMap { part in
            guard case .secret(let reference) = part else { return nil }
            return reference
        }
    }

    init(parsing bytes: [UInt8]) throws(Mistake) {
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            guard let start = Self.reference(in: bytes, at: place) else {
                text.append(bytes[place])
                place += 1
                continue
            }
            // Of backslashes before the braces, each two stand for one, and one more makes braces of them.
            let slashes = text.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            text.removeLast(slashes - slashes / 2)
            guard slashes % 2 == 0 else {
                text += bytes[place..<start]
                place = start
                continue
            }
            let (end, next) = try Self.end(of: start, in: bytes, from: place)
            do throws(SecretReference.Mistake) {
                guard let written = String(validating: bytes[start..<end], as: UTF8.self) else {
                    throw SecretReference.Mistake(reason: "it is not UTF-8", advice: "write such bytes as %XX")
                }
                let reference = try SecretReference(parsing: written)
                if !text.isEmpty { parts.append(.text(text)) }
                text = []
                parts.append(.secret(reference))
            } catch {
                throw Mistake(
                    bytes, start, reason: "this is no reference to a secret: \(error.reason)", advice: error.advice)
            }
            place = next
        }
        if !text.isEmpty { parts.append(.text(text)) }
    }

    /// Whether braces open here, with what is meant as a reference behind them. All other braces are text: other programs use them, too.
    /// - Returns: the place where the reference begins.
    private static func reference(in bytes: [UInt8], at place: Int) -> Int? {
        guard bytes[place] == UInt8(ascii: "{"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "{") else {
            return nil
        }
        let rest = bytes[(place + 2)...].drop(while: isBlank)
        return SecretReference.isMeant(rest) ? rest.startIndex : nil
    }

    /// - Returns: the place behind the reference, and the place behind the closing braces.
    private static func end(
        of start: Int, in bytes: [UInt8], from braces: Int
    ) throws(Mistake) -> (end: Int, next: Int) {
        var place = start
        while place + 1 < bytes.count, bytes[place] != UInt8(ascii: "\n") {
            if bytes[place] == UInt8(ascii: "}"), bytes[place + 1] == UInt8(ascii: "}") {
                var end = place
                while end > start, isBlank(bytes[end - 1]) { end -= 1 }
                return (end, place + 2)
            }
            place += 1
        }
        throw Mistake(
            bytes, braces, reason: "the braces of this reference are not closed in the same line",
            advice: "write {{ coffer://SERVICE/ACCOUNT }}; if it is no reference, write \\{{")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension Template.Mistake {
    fileprivate init(_ bytes: [UInt8], _ place: Int, reason: String, advice: String) {
        let before = bytes[..<place]
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.init(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: String(decoding: bytes[start..<place], as: UTF8.self).unicodeScalars.count + 1,
            reason: reason, advice: advice)
    }
}

extension Template {
    /// The text with the secrets in place of their references. Nothing in a secret is read as a reference.
    /// - Returns: nil if it is longer than the limit.
    func filled(_ secrets: [SecretReference: ReferenceResolver.Secret], limit: Int) -> [UInt8]? {
        var size = 0
        for part in parts {
            switch part {
            case .text(let text): size += text.count
            case .secret(let reference): size += secrets[reference]?.line.count ?? 0
            }
            // Before anything is copied: few references to a large secret make a text of any length.
            guard size <= limit else { return nil }
        }
        var filled: [UInt8] = []
        filled.reserveCapacity(size)
        for part in parts {
            switch part {
            case .text(let text): filled += text
            case .secret(let reference): filled += secrets[reference]?.line ?? []
            }
        }
        return filled
    }
}
