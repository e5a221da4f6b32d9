import Authorization
import Circle
import Item

extension SharedApplication {
    /// Items that wait for each other's names get names that nobody has. One whose name is another's that does not move
    /// keeps what it has.
    mutating func setNamesAside(of waiting: [SharedItem], _ names: SharedNames) throws(VaultError) {
        guard waiting.count > 1 else { return }
        var moving: [(here: StoredItem, wanted: ItemName, aside: ItemName)] = []
        for item in waiting {
            for id in item.ids.compactMap({ ItemID(bytes: $0.bytes) }) {
                // A guarded item keeps its name: its values open under no other.
                guard let here = local[id], TravelRule.obstacle(here.record.access) == nil,
                    here.record.access.requirements.isEmpty
                else { continue }
                moving.append((here, item.localName(names), Self.asideName(of: item)))
            }
        }
        while true {
            let ids = Set(moving.map(\.here.summary.id))
            var left: [(here: StoredItem, wanted: ItemName, aside: ItemName)] = []
            for one in moving {
                let name = one.wanted
                let holder = try change.item(service: name.service, account: name.account, kind: name.itemClass)
                if holder.map({ ids.contains($0.summary.id) }) ?? true { left.append(one) }
            }
            guard left.count < moving.count else { break }
            moving = left
        }
        // What made room was in the bin.
        for (here, _, name) in moving where local[here.summary.id] != nil {
            let metadata = here.summary.metadata.renamed(name.service, name.account, at: vault.now())
            // Without room for the longer name, the item keeps its own. What others have written stops no exchange.
            let (hasRoom, dropped) = try change.makeRoom(for: metadata, values: 0, over: here)
            for id in dropped { local[id] = nil }
            guard hasRoom else { continue }
            former[here.summary.id] = here.summary.metadata.name
            _ = try vault.replace(here, metadata: metadata, change)
            local[here.summary.id] = try change.item(here.summary.id)
        }
    }

    /// What a device that only reads had before it joined is not merged, because it says nothing. Where it has the name of
    /// what is shared, it goes into the bin.
    mutating func giveWay() throws(VaultError) {
        let names = SharedNames(items)
        for item in items where !item.isInBin {
            let name = item.localName(names)
            guard let here = try change.item(service: name.service, account: name.account, kind: name.itemClass),
                TravelRule.obstacle(here.record.access) == nil, !shared.contains(here.summary.id)
            else { continue }
            try bin(here)
        }
    }

    static func asideName(of item: SharedItem) -> ItemName {
        ItemName(service: item.name.service, account: Hex.encode(item.id.bytes), itemClass: item.name.itemClass)
    }
}
