extension JSONReader {
    public mutating func flag() throws(JSONFailure) -> Bool {
        try beginValue()
        switch next {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default: throw .mismatch(at: at)
        }
    }

    /// A number that is exactly an integer of this type, however it is written: `1000`, `1e3` and `1000.0` are one.
    mutating func integer<Integer: FixedWidthInteger>() throws(JSONFailure) -> Integer {
        try beginValue()
        let start = at
        guard let byte = next, byte == UInt8(ascii: "-") || Self.isDigit(byte) else { throw .mismatch(at: start) }
        let number = try scanNumber()
        guard let magnitude = number.magnitude(in: bytes) else { throw .mismatch(at: start) }
        let value: Integer? =
            number.isNegative ? Self.negated(magnitude) : Integer(exactly: magnitude)
        guard let value else { throw .mismatch(at: start) }
        return value
    }

    private static func negated<Integer: FixedWidthInteger>(_ magnitude: UInt64) -> Integer? {
        let (value, isOutOfRange) = Int64(0).subtractingReportingOverflow(Int64(truncatingIfNeeded: magnitude))
        // The least number has no positive counterpart.
        guard magnitude <= 1 << 63 else { return nil }
        return Integer(exactly: isOutOfRange ? Int64.min : value)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Checks the number at which the reader stands, and goes behind it.
    mutating func scanNumber() throws(JSONFailure) -> JSONNumber {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { at += 1 }
        let whole = at
        if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
        var number = JSONNumber(isNegative: isNegative, whole: whole..<at)
        if next == UInt8(ascii: ".") {
            at += 1
            let start = at
            try digits()
            number.fraction = start..<at
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            at += 1
            number.isDivided = next == UInt8(ascii: "-")
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            let start = at
            try digits()
            number.exponent = start..<at
        }
        return number
    }

    private mutating func digits() throws(JSONFailure) {
        guard let byte = next, Self.isDigit(byte) else { throw malformed("a digit") }
        while at < bytes.count, Self.isDigit(bytes[at]) { at += 1 }
    }
}

/// Where the parts of a number are.
struct JSONNumber {
    let isNegative: Bool
    let whole: Range<Int>
    var fraction: Range<Int>?
    var exponent: Range<Int>?
    /// The exponent is negative.
    var isDivided = false

    /// The number without its sign; nil if it is no integer, or does not fit.
    func magnitude(in bytes: [UInt8]) -> UInt64? {
        guard fraction != nil || exponent != nil else { return Self.number(bytes[whole]) }
        var digits = Array(bytes[whole]) + (fraction.map { Array(bytes[$0]) } ?? [])
        // How many zeros follow the digits. A message is too short for these sums to overflow.
        var zeros = Self.clamped(bytes[exponent ?? 0..<0]) * (isDivided ? -1 : 1) - (fraction?.count ?? 0)
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            zeros += 1
        }
        guard let first = digits.firstIndex(where: { $0 != UInt8(ascii: "0") }) else { return 0 }
        guard zeros >= 0, digits.count - first + zeros <= Self.mostDigits else { return nil }
        return Self.number(digits[first...] + Array(repeating: UInt8(ascii: "0"), count: zeros))
    }

    /// The digits of the greatest number.
    private static let mostDigits = 20

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            let (product, isTooMuch) = number.multipliedReportingOverflow(by: 10)
            let (sum, isMore) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooMuch, !isMore else { return nil }
            number = sum
        }
        return number
    }

    /// An exponent; one that no number has room for is cut off far beyond that.
    private static func clamped(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
    }
}
