import NIOCore

/// Writes base64 (RFC 4648, section 4) straight into a message's buffer, without a string in between.
enum Base64Writer {
    static func write(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let first = bytes[index]
            let second = left > 1 ? bytes[index + 1] : 0
            let third = left > 2 ? bytes[index + 2] : 0
            let digits =
                UInt32(digit(first >> 2)) << 24
                | UInt32(digit((first & 3) << 4 | second >> 4)) << 16
                | UInt32(left > 1 ? digit((second & 15) << 2 | third >> 6) : padding) << 8
                | UInt32(left > 2 ? digit(third & 63) : padding)
            buffer.writeInteger(digits)
            index += 3
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
