import Circle
import Item

extension SharedApplication {
    /// What was done.
    struct Outcome: Sendable {
        var added = 0
        var updated = 0
        var deleted = 0
        /// Shared items that are not here, or not whole, and why.
        var obstacles: [SharedItemID: TravelRule.Obstacle] = [:]
    }

    /// Why a value of another machine is not here.
    func obstacle(_ revision: PartChange) throws(VaultError) -> TravelRule.Obstacle {
        guard case .value(let content)? = revision.content, !content.access.requirements.isEmpty,
            let found = try view.value(of: revision)
        else { return .unreadable }
        let isForThis = view.slots(of: revision, found.value).joined().contains { $0.device == view.device.id }
        return isForThis ? .unreadable : .notReleased
    }

    func isFree(_ name: ItemName, for old: StoredItem?) throws(VaultError) -> Bool {
        // No two items have one name, so the one that has it need not be looked up. One in the bin has given it away.
        if let own = old?.summary.metadata, own.deleted == nil, own.kind == name.itemClass,
            own.service.isSameText(as: name.service), own.account.isSameText(as: name.account)
        {
            return true
        }
        let other = try change.item(service: name.service, account: name.account, kind: name.itemClass)
        return other == nil || other?.summary.id == old?.summary.id
    }
}
