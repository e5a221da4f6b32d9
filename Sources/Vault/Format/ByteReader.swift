/// Reads the format's integers and lengths, and never reads past the end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    /// Names what is being read, for the error message.
    private let what: String

    init(_ bytes: [UInt8], _ what: String) {
        rest = bytes[...]
        self.what = what
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(VaultError) -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw .damaged("\(what) is cut off") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<Integer: FixedWidthInteger & UnsignedInteger>(
        _: Integer.Type = Integer.self
    ) throws(VaultError) -> Integer {
        try bytes(Integer.bitWidth / 8).reduce(0 as Integer) { ($0 &<< 8) | Integer($1) }
    }

    /// `LP(x)`. With a count, any other length is an error.
    mutating func prefixed(_ count: Int? = nil) throws(VaultError) -> [UInt8] {
        let length = Int(try integer(UInt32.self))
        guard count == nil || count == length else { throw .damaged("\(what) has a part of the wrong length") }
        return try bytes(length)
    }

    func end() throws(VaultError) {
        guard rest.isEmpty else { throw .damaged("\(what) is too long") }
    }
}
