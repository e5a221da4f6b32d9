import Item

/// What a list tells of an item, in little memory: a vault can have ten thousand of these.
struct KeptName: Sendable {
    private let version: UInt64
    private let access: AccessControl
    /// `revision ‖ metadata as it was sealed`
    private let bytes: [UInt8]

    /// - Parameter text: the item's metadata as it was sealed.
    init(_ item: ItemSummary, text: [UInt8]) {
        version = item.version
        access = item.access
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ItemRevision.count + text.count)
        bytes += item.revision.bytes
        bytes += text
        self.bytes = bytes
    }

    /// Roughly what it takes with its item's id and its place, in bytes.
    var cost: Int32 { Int32(clamping: bytes.count + 200) }

    /// - Throws: never for the text of an item that was verified.
    func summary(of id: ItemID) throws(VaultError) -> ItemSummary {
        ItemSummary(
            id: id, version: version, metadata: try Metadata(text: bytes, from: ItemRevision.count), access: access,
            revision: ItemRevision(digest: bytes))
    }
}
