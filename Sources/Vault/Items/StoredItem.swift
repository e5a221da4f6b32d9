/// An item from the file. The tree has authenticated its row, and its metadata is open.
struct StoredItem: Sendable {
    let record: ItemRecord
    let summary: ItemSummary

    func context(_ format: FormatContext) -> ItemContext {
        ItemContext(format: format, item: summary.id, version: record.version, access: record.access)
    }
}
