import Coffer

/// The output of `list` and `search`.
struct ItemListing {
    let items: [ItemAttributes]
    /// Shown on a terminal instead of an empty table.
    let emptyHint: String

    func show(asJSON: Bool) throws {
        if asJSON {
            try Output.line(JSONText.of(items.map(ItemDescription.init)))
        } else if items.isEmpty, Output.isTerminal {
            Output.note(emptyHint)
        } else {
            try Output.line(
                ItemTable.lines(items, aligned: Output.isTerminal, width: Output.columns).joined(
                    separator: "\n"))
        }
    }
}
