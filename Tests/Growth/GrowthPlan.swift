/// How large a circle is, and how it came to be. Equal plans give equal keys, items and changes.
package struct GrowthPlan: Sendable {
    /// Machines, without the one that joins.
    package var devices = 30
    /// Those of them that change items: admins. The others are readers, as the servers of a fleet are.
    package var writers = 3
    /// Changes that were ever given out.
    package var records = 3_000
    /// Items that are there in the end.
    package var items = 100
    /// Items that were there and were deleted for good.
    package var deleted = 10
    /// How many times machines were added. Each time one generation is made.
    package var waves = 1
    /// Changes that each writer has given out since its compaction, one in each file.
    package var tail = 20
    package var seed: UInt64 = 1

    package init() {}
}

/// Numbers that a seed decides (SplitMix64).
struct GrowthNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
