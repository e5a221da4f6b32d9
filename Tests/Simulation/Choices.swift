/// The choices of one schedule: a list of bytes. A schedule reads one for each decision, and 0 after the last one. So
/// a shorter list, or one with smaller bytes, is a simpler schedule.
public struct Choices: Sendable, Hashable {
    public let bytes: [UInt8]
    private var place = 0

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The choices of a seed. The same seed gives the same ones, in every process (SplitMix64).
    public init(seed: UInt64, count: Int) {
        var state = seed
        bytes = (0..<count).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return UInt8(truncatingIfNeeded: mixed ^ mixed >> 31)
        }
    }

    public var isAtEnd: Bool { place >= bytes.count }

    /// - Parameter limit: 1 to 256.
    public mutating func next(below limit: Int) -> Int {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return Int(bytes[place]) % limit
    }

    public mutating func nextIsTrue(oneIn limit: Int) -> Bool { next(below: limit) == limit - 1 }

    /// Simpler choices that fail still: spans are taken out, then bytes become 0, then smaller.
    public static func shrunk(_ choices: [UInt8], failing: ([UInt8]) -> Bool) -> [UInt8] {
        var (least, isChanged) = (choices, true)
        func keep(_ tried: [UInt8]) -> Bool {
            guard tried != least, failing(tried) else { return false }
            least = tried
            isChanged = true
            return true
        }
        while isChanged {
            isChanged = false
            var span = max(least.count / 2, 1)
            while span > 0 {
                var start = 0
                while start < least.count {
                    let end = min(start + span, least.count)
                    if !keep(Array(least[..<start] + least[end...])) { start += span }
                }
                span /= 2
            }
            for place in least.indices where least[place] != 0 {
                for smaller in [0, least[place] / 2, least[place] - 1] {
                    var tried = least
                    tried[place] = smaller
                    if keep(tried) { break }
                }
            }
        }
        return least
    }
}
