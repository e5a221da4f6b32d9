import Authorization

/// What every format of a circle is read with (docs/sync-format.md, “Canonical bytes”).
extension ArraySlice<UInt8> {
    mutating func take(_ count: Int) throws(CircleFormError) -> [UInt8] {
        guard self.count >= count else { throw .length }
        defer { self = dropFirst(count) }
        return Array(prefix(count))
    }

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(CircleFormError) -> Value {
        try take(Value.bitWidth / 8).reduce(0) { $0 &<< 8 | Value($1) }
    }

    /// `LP(x)`.
    mutating func prefixed(upTo most: Int) throws(CircleFormError) -> [UInt8] {
        let count = try integer(UInt32.self)
        guard count <= most else { throw .length }
        return try take(Int(count))
    }

    /// `LP(x)`, in UTF-8.
    mutating func text(upTo most: Int) throws(CircleFormError) -> String {
        guard let text = String(validating: try prefixed(upTo: most), as: UTF8.self) else { throw .form }
        return text
    }

    /// A count of four bytes, and the elements.
    mutating func elements<Part>(
        upTo most: Int, _ element: (inout ArraySlice<UInt8>) throws(CircleFormError) -> Part
    ) throws(CircleFormError) -> [Part] {
        let count = try integer(UInt32.self)
        guard count <= most else { throw .length }
        var elements: [Part] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    mutating func domain(_ domain: [UInt8]) throws(CircleFormError) {
        guard try take(domain.count) == domain else { throw .domain }
    }

    mutating func version() throws(CircleFormError) {
        guard try integer(UInt16.self) == CircleLimits.version else { throw .version }
    }

    mutating func time() throws(CircleFormError) -> UInt64 {
        let time = try integer(UInt64.self)
        guard time <= PartStamp.last else { throw .range }
        return time
    }

    mutating func circle() throws(CircleFormError) -> StatementName {
        guard let name = StatementName(bytes: try take(StatementName.count)) else { throw .length }
        return name
    }

    mutating func device() throws(CircleFormError) -> WriterID {
        guard let device = WriterID(bytes: try take(SharedItemID.count)) else { throw .length }
        return device
    }

    func end() throws(CircleFormError) {
        guard isEmpty else { throw .length }
    }
}

extension [UInt8] {
    /// A count of four bytes, and the elements.
    init<Part>(list elements: [Part], _ bytes: (Part) -> [UInt8]) {
        self = BigEndian.bytes(UInt32(clamping: elements.count)) + elements.flatMap(bytes)
    }
}

extension BigEndian {
    /// - Parameter bytes: 8 of them.
    static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
