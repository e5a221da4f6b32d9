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

    /// What is damaged here stays as it is, and keeps no other item from being taken in.
    mutating func unlessDamaged(
        _ item: SharedItemID, _ body: (inout SharedApplication) throws(VaultError) -> Void
    ) throws(VaultError) {
        do throws(VaultError) { try body(&self) } catch {
            guard error.damagedItem != nil else { throw error }
            outcome.obstacles[item] = .unreadable
        }
    }

    /// Why a value of another machine is not here.
    ///
    /// - Parameter access: what its item requires here.
    func obstacle(_ revision: PartChange, under access: AccessControl) throws(VaultError) -> TravelRule.Obstacle {
        // It was given out for less, or for something else, than others require by now.
        if case .value(let content)? = revision.content, content.access != access,
            !content.access.requirements.isEmpty
        {
            return .undecided
        }
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
