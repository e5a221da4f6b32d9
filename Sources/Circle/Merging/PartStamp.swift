import Authorization

/// When and by which device a part was changed. Of several present revisions of a part, everybody shows the one with
/// the largest stamp. Nobody compares a stamp with a clock of their own.
package struct PartStamp: Hashable, Sendable, Comparable {
    /// The largest clock: 2⁶³ − 1.
    package static let last = UInt64(Int64.max)

    /// Milliseconds since 1970-01-01 UTC, and more than what the change replaces. Below 2⁶³.
    package let clock: UInt64
    package let writer: WriterID

    /// - Returns: nil for a clock of 2⁶³ or more.
    package init?(clock: UInt64, writer: WriterID) {
        guard clock <= Self.last else { return nil }
        self.clock = clock
        self.writer = writer
    }

    /// The stamp of a change: the larger of the writer's clock, and one more than the stamps that it replaces.
    ///
    /// At the last clock it stays there, so that a stamp of somebody else never ends writing.
    package init(at now: UInt64, replacing stamps: [PartStamp], writer: WriterID) {
        let least = stamps.map(\.clock).max().map { min($0, Self.last - 1) + 1 } ?? 0
        clock = min(max(now, least), Self.last)
        self.writer = writer
    }

    /// Whether a change with this stamp may replace one with that.
    func mayReplace(_ former: PartStamp) -> Bool { clock > former.clock || clock == Self.last }

    /// More than a day ahead of a clock: `status` names the writer. It decides nothing.
    package func isAhead(of now: UInt64) -> Bool { clock > now && clock - now > 86_400_000 }

    var bytes: [UInt8] { BigEndian.bytes(clock) + writer.bytes }

    package static func < (one: PartStamp, other: PartStamp) -> Bool {
        one.clock == other.clock ? one.writer < other.writer : one.clock < other.clock
    }
}
