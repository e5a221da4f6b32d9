import Item

/// One of several changes that are made together (``OpenVault/apply(_:)``).
public enum PlannedChange: Sendable {
    /// Stores an item, as ``OpenVault/set(_:mode:ifRevision:)`` does.
    case set(ItemDraft, mode: ItemDraft.Mode, ifRevision: ItemRevision?)
    /// Deletes an item, expired or not. The item may be missing, unless there is a revision.
    case delete(service: String, account: String, kind: ItemKind, ifRevision: ItemRevision?)
    /// Puts an item into the bin, as ``OpenVault/putAside(service:account:kind:ifRevision:protection:)`` does. The item
    /// may be missing, unless there is a revision.
    case putAside(service: String, account: String, kind: ItemKind, ifRevision: ItemRevision?)
    /// Deletes all items of a service. nil stands for all kinds.
    case deleteService(String, kind: ItemKind?)

    /// The state that the item must be in; nil for any.
    public var revision: ItemRevision? {
        switch self {
        case .set(_, _, let revision), .delete(_, _, _, let revision), .putAside(_, _, _, let revision): revision
        case .deleteService: nil
        }
    }

    /// What became of a change.
    public enum Result: Sendable {
        /// The item as it is now, and when the replaced value had been set.
        case stored(ItemSummary, replaced: UInt64?)
        /// The items as they were.
        case deleted([ItemSummary])
        /// The item as it was, which is in the bin.
        case putAside(ItemSummary)
    }
}
