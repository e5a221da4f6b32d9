/// What every format of a circle is read with (docs/sync-format.md, “Canonical bytes”).
extension ArraySlice<UInt8> {
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(StatementError) -> Value {
        try take(Value.bitWidth / 8).reduce(0) { $0 &<< 8 | Value($1) }
    }

    /// `LP(x)`.
    mutating func prefixed(upTo most: Int) throws(StatementError) -> [UInt8] {
        let count = try integer(UInt32.self)
        guard count <= most else { throw .length }
        return try take(Int(count))
    }

    /// A count of four bytes, and the elements.
    mutating func elements<Part>(
        upTo most: Int, _ element: (inout ArraySlice<UInt8>) throws(StatementError) -> Part
    ) throws(StatementError) -> [Part] {
        let count = try integer(UInt32.self)
        guard count <= most else { throw .length }
        var elements: [Part] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    mutating func domain(_ domain: [UInt8]) throws(StatementError) {
        guard try take(domain.count) == domain else { throw .domain }
    }

    mutating func version() throws(StatementError) {
        guard try integer(UInt16.self) == CircleLimits.version else { throw .version }
    }

    mutating func time() throws(StatementError) -> UInt64 {
        let time = try integer(UInt64.self)
        guard time <= PartStamp.last else { throw .range }
        return time
    }

    mutating func circle() throws(StatementError) -> StatementName {
        guard let name = StatementName(bytes: try take(StatementName.count)) else { throw .length }
        return name
    }

    mutating func device() throws(StatementError) -> WriterID {
        guard let device = WriterID(bytes: try take(SharedItemID.count)) else { throw .length }
        return device
    }

    func end() throws(StatementError) {
        guard isEmpty else { throw .length }
    }
}

extension [UInt8] {
    /// A count of four bytes, and the elements.
    init<Part>(list elements: [Part], _ bytes: (Part) -> [UInt8]) {
        self = BytesInOrder.bytes(UInt32(clamping: elements.count)) + elements.flatMap(bytes)
    }
}

/// The limits of docs/sync-format.md, “Limits”.
package enum CircleLimits {
    /// The version of every format but statements and generations, which have none.
    package static let version: UInt16 = 1
    /// The length of a segment in bytes.
    package static let segment = 1 << 20
    /// The length of a record's body in bytes.
    package static let body = 900_000
    package static let records = 8192
    /// The largest number of a record: 16 digits.
    package static let number: UInt64 = 9_999_999_999_999_999
    package static let heads = 1024
    /// The length of a head with its signature in bytes.
    package static let head = 1 << 17
    package static let statement = 1 << 16
    package static let generation = 300_000
    /// The length of a device's name in bytes.
    package static let name = 64
    package static let request = 512
    package static let statements = 8192
    package static let generations = 1024
    package static let answer = 1 << 24
}
