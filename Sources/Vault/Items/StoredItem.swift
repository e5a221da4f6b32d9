/// An item as the file has it, its row proved and its metadata open.
struct StoredItem: Sendable {
    let record: ItemRecord
    let summary: ItemSummary

    func context(_ format: FormatContext) -> ItemContext {
        ItemContext(format: format, item: summary.id, version: record.version, access: record.access)
    }
}
