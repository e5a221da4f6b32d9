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
                guard let here = try change.itemIfPresent(id), TravelRule.obstacle(here.record.access) == nil,
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
        for (here, _, name) in moving {
            guard try change.itemIfPresent(here.summary.id) != nil else { continue }
            let metadata = here.summary.metadata.renamed(name.service, name.account, at: vault.now())
            // Without room for the longer name, the item keeps its own. What others have written stops no exchange.
            guard try change.makeRoom(for: metadata, values: 0, over: here) else { continue }
            former[here.summary.id] = here.summary.metadata.name
            _ = try vault.replace(here, metadata: metadata, change)
        }
    }

    /// What a device that only reads had before it joined is not merged, because it says nothing. Where it has the name of
    /// what is shared, it goes into the bin.
    mutating func giveWay() throws(VaultError) {
        let names = SharedNames(items)
        // A device that has come back has items of the circle from before. They become what the circle says.
        for item in items {
            for id in item.ids.compactMap({ ItemID(bytes: $0.bytes) }) where !shared.contains(id) {
                guard let here = try change.itemIfPresent(id), TravelRule.obstacle(here.record.access) == nil,
                    here.summary.metadata.kind == item.name.itemClass
                else { continue }
                shared.put(id)
            }
        }
        for item in items where !item.isInBin {
            let name = item.localName(names)
            guard let here = try change.item(service: name.service, account: name.account, kind: name.itemClass),
                TravelRule.obstacle(here.record.access) == nil, !shared.contains(here.summary.id)
            else { continue }
            try bin(here)
        }
    }

    /// - Returns: nil if another item has the name, and this one has none yet.
    func name(
        of item: SharedItem, _ names: SharedNames, over old: StoredItem?, isLast: Bool,
        _ withheld: inout SharedItems.Withheld
    ) throws(VaultError) -> ItemName? {
        let wanted = item.localName(names)
        if try isFree(wanted, for: old) { return wanted }
        guard isLast, let old else { return nil }
        let before = former[old.summary.id] ?? old.summary.metadata.name
        let name = try isFree(before, for: old) ? before : Self.asideName(of: item)
        withheld[.name] = try SharedItems.digest(name.bytes)
        return name
    }

    /// The name that an item keeps, withheld if the circle's is another one.
    mutating func unchanged(
        _ old: StoredItem, _ before: SharedItems.Withheld, against item: SharedItem, _ names: SharedNames
    ) throws(VaultError) -> (name: ItemName, withheld: SharedItems.Withheld) {
        var withheld = before
        let name = try nameBefore(old)
        if item.localName(names) != name { withheld[.name] = try SharedItems.digest(name.bytes) }
        return (name, withheld)
    }

    /// The name from before the item was set aside, if nobody has it by now and it has room. Otherwise the item has to
    /// do with the name that it has.
    private mutating func nameBefore(_ old: StoredItem) throws(VaultError) -> ItemName {
        let present = old.summary.metadata
        guard let name = former[old.summary.id], try isFree(name, for: old) else { return present.name }
        let metadata = present.renamed(name.service, name.account, at: present.modified)
        let hasRoom = try change.makeRoom(for: metadata, values: 0, over: old)
        return hasRoom ? name : present.name
    }

    static func asideName(of item: SharedItem) -> ItemName {
        ItemName(service: item.name.service, account: Hex.encode(item.id.bytes), itemClass: item.name.itemClass)
    }
}
