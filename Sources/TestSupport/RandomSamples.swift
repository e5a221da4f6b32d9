/// Random numbers that a failed run can be repeated with (Steele, Lea and Flood, 2014). The same seed gives the same.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A test argument that may be long. Test output names each argument, and this shortens it.
public struct Sample<Value: Sendable>: Sendable, CustomStringConvertible {
    public let value: Value

    public init(_ value: Value) { self.value = value }

    public var description: String {
        let whole = String(describing: value)
        let shown = whole.prefix(100)
        return shown.endIndex == whole.endIndex ? whole : "\(shown)… (\(whole.utf8.count) bytes of text)"
    }
}
