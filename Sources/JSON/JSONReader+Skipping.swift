/// Where the reader stands in its bytes, to come back to.
public struct JSONMark: Sendable {
    let at: Int
    let values: Int
    let depth: Int
}

/// The names of the members around a value, to tell what is wrong with it.
struct JSONTrail {
    /// The byte at which the wanted value begins; -1 for none.
    var wanted = -1
    var around: [JSONString] = []
    var found: [JSONString] = []
}

extension JSONReader {
    public func mark() -> JSONMark { JSONMark(at: at, values: values, depth: depth) }

    /// Goes back to where the reader was. What is read twice from there on is counted once.
    public mutating func go(to mark: JSONMark) {
        at = mark.at
        values = mark.values
        depth = mark.depth
    }

    /// Checks a value of any type, and goes behind it.
    public mutating func skipValue() throws(JSONFailure) {
        if at == trail.wanted { trail.found = trail.around }
        switch next {
        case UInt8(ascii: "{"): try skipObject()
        case UInt8(ascii: "["):
            try beginArray()
            var isFirst = true
            while try nextElement(isFirst: isFirst) {
                isFirst = false
                try skipValue()
            }
        default:
            try beginValue()
            switch next {
            case UInt8(ascii: "\""): _ = try scanString()
            case UInt8(ascii: "t"): try word("true")
            case UInt8(ascii: "f"): try word("false")
            case UInt8(ascii: "n"): try word("null")
            case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): _ = try scanNumber()
            default: throw malformed("a value")
            }
        }
    }

    private mutating func skipObject() throws(JSONFailure) {
        try beginObject()
        var names: Set<String> = []
        while try goToName(isFirst: names.isEmpty) {
            let name = try scanString()
            guard names.insert(try self.name(name)).inserted else { throw Self.nameTwice }
            try takeColon()
            guard trail.wanted >= 0 else {
                try skipValue()
                continue
            }
            trail.around.append(name)
            try skipValue()
            trail.around.removeLast()
        }
    }

    /// The members around the value that does not fit, from the outermost to the innermost, in the value at which the
    /// reader stands. It goes behind that value.
    /// - Throws: `malformed`, which is worse than any failure to fit.
    public mutating func names(around failure: JSONFailure) throws(JSONFailure) -> [String] {
        if case .mismatch(let place, _) = failure { trail.wanted = place }
        defer { trail = JSONTrail() }
        try skipValue()
        if case .missing(let name) = failure { return [name] }
        var names: [String] = []
        for name in trail.found { names.append(text(of: name)) }
        return names
    }
}
