/// Big-endian writing, as in all TPM structures.
extension [UInt8] {
    mutating func append(_ value: UInt16) {
        append(UInt8(value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(_ value: UInt32) {
        append(UInt16(value >> 16))
        append(UInt16(truncatingIfNeeded: value))
    }

    /// A `TPM2B`: two bytes of size, then the bytes. There must be fewer than 65,536 of them.
    mutating func append(sized bytes: [UInt8]) {
        append(UInt16(bytes.count))
        append(contentsOf: bytes)
    }
}

/// Big-endian reading. Checks every length before use.
struct MarshalledReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ count: Int) throws(TPMError) -> [UInt8] {
        guard count >= 0, bytes.count - position >= count else {
            throw TPMError(.damaged, "a TPM structure ends too early")
        }
        defer { position += count }
        return [UInt8](bytes[position..<position + count])
    }

    mutating func number8() throws(TPMError) -> UInt8 { try take(1)[0] }

    mutating func number16() throws(TPMError) -> UInt16 {
        try take(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    mutating func number32() throws(TPMError) -> UInt32 {
        try take(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func sized() throws(TPMError) -> [UInt8] { try take(Int(try number16())) }

    func end() throws(TPMError) {
        guard isAtEnd else { throw TPMError(.damaged, "a TPM structure has bytes left over") }
    }
}
