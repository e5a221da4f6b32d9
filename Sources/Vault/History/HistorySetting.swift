import Authorization
import Item

/// How many former values a vault keeps of each item, and for how long.
public struct HistorySetting: Sendable, Hashable {
    /// The most former values of one item. 0: none is kept.
    public let count: UInt8
    /// How many days a value is kept after it was replaced. 0: none is kept.
    public let days: UInt16

    /// What a vault has until its owner chooses something else.
    public static let standard = HistorySetting(
        valid: UInt8(ItemLimits.formerValues.usual), UInt16(ItemLimits.formerDays.usual))

    private init(valid count: UInt8, _ days: UInt16) {
        self.count = count
        self.days = days
    }

    /// - Throws: `.invalidArgument` for more than `ItemLimits.formerValues.most` values or `ItemLimits.formerDays.most` days.
    public init(count: Int, days: Int) throws(VaultError) {
        guard let count = UInt8(exactly: count), count <= ItemLimits.formerValues.most else {
            throw VaultError(
                .invalidArgument, "a vault keeps 0 to \(ItemLimits.formerValues.most) former values of an item")
        }
        guard let days = UInt16(exactly: days), days <= ItemLimits.formerDays.most else {
            throw VaultError(
                .invalidArgument, "a vault keeps former values for 0 to \(ItemLimits.formerDays.most) days")
        }
        self.init(valid: count, days)
    }

    /// Whether a value may have to go that the other setting keeps.
    func keepsLess(than other: HistorySetting) -> Bool { count < other.count || days < other.days }

    /// From when on a value is neither given out nor kept.
    ///
    /// - Parameter replaced: when it was replaced, in milliseconds since 1970-01-01 UTC, like the result.
    func end(ofReplaced replaced: UInt64) -> UInt64 {
        let (end, isOutOfRange) = replaced.addingReportingOverflow(UInt64(days) * Self.day)
        return isOutOfRange ? .max : end
    }

    /// In milliseconds.
    private static let day: UInt64 = 86_400_000

    /// Three bytes (docs/vault-format.md, "header").
    var encoded: [UInt8] { [count] + BigEndian.bytes(days) }

    init(_ reader: inout ByteReader) throws(VaultError) {
        let (count, days) = (try reader.integer(UInt8.self), try reader.integer(UInt16.self))
        guard count <= ItemLimits.formerValues.most, days <= ItemLimits.formerDays.most else {
            throw .damaged("the header has an impossible history")
        }
        self.init(valid: count, days)
    }
}
