/// What a committed change did to one item.
public enum CommittedChange: Sendable, Hashable {
    case added(ItemSummary)
    /// Anything about the item changed: its value, its key, its access control or its metadata.
    case updated(ItemSummary, from: ItemSummary)
    case deleted(ItemSummary)
    /// The change failed, and nobody knows what of it is in the file.
    case unknown
}
