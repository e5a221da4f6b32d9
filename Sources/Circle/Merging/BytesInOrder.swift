/// Canonical bytes: integers have their largest byte first, and every text or list has its length before it.
enum BytesInOrder {
    static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Value.bitWidth / 8)
        var shift = Value.bitWidth
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
        return bytes
    }

    /// - Parameter bytes: 8 of them.
    static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The length, in four bytes, and the bytes themselves.
    static func prefixed(_ bytes: [UInt8]) -> [UInt8] { self.bytes(UInt32(clamping: bytes.count)) + bytes }

    static func prefixed(_ text: String) -> [UInt8] { prefixed(Array(text.utf8)) }
}
