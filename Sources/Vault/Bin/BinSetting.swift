import Item

/// For how long the vault's bin keeps an item that was deleted (docs/vault-format.md, "The bin").
public struct BinSetting: Sendable, Hashable {
    /// In days. 0: there is no bin, and what is deleted is gone at once.
    public let days: UInt16

    /// - Throws: `.invalidArgument` for more than `ItemLimits.binDays.most` days.
    public init(days: Int) throws(VaultError) {
        guard let days = UInt16(exactly: days), days <= ItemLimits.binDays.most else {
            throw VaultError(
                .invalidArgument, "the bin keeps deleted items for 0 to \(ItemLimits.binDays.most) days")
        }
        self.days = days
    }

    init(_ header: Header) { days = header.binDays }

    /// From when on an item of the bin is neither given back nor kept.
    ///
    /// - Parameter deleted: when it was deleted, in milliseconds since 1970-01-01 UTC, like the result.
    public func end(ofDeleted deleted: UInt64) -> UInt64 {
        let (end, isOutOfRange) = deleted.addingReportingOverflow(UInt64(days) * 86_400_000)
        return isOutOfRange ? .max : end
    }

    /// Whether the bin still has an item that was deleted then.
    func keeps(_ deleted: UInt64, at now: UInt64) -> Bool { days > 0 && end(ofDeleted: deleted) > now }
}
