/// Reads the format's integers and lengths, never past the end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    /// What is being read, for the error.
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

    /// `LP(x)` of exactly, or of any, length.
    mutating func prefixed(_ count: Int? = nil) throws(VaultError) -> [UInt8] {
        let length = Int(try integer(UInt32.self))
        guard count == nil || count == length else { throw .damaged("\(what) has a part of a wrong length") }
        return try bytes(length)
    }

    func end() throws(VaultError) {
        guard rest.isEmpty else { throw .damaged("\(what) is too long") }
    }
}
