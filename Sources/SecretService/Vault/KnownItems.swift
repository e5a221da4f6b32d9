import CofferClient

/// The items of the vault, as lists, replies to writes and events tell them. Events come in the order of the changes.
/// The reply to a write can come before its own event or after later ones. Times do not tell which is newer, because a
/// clock can be set back. A revision names one state, and no state comes back. So it tells when the events have reached
/// a reply.
struct KnownItems {
    private(set) var items: [String: ItemAttributes] = [:]
    /// The state that a reply has told. Events about an item are older until the one that tells this state, or a later
    /// value.
    private var awaited: [String: ItemAttributes] = [:]
    /// Items that this provider has deleted. Events about them are older until the one that tells the deletion.
    private var deleted: Set<String> = []
    /// The writes that have no reply yet, and what events have told since the first of them began.
    private var openWrites = 0
    private var heard: Set<String> = []
    private var lists = 0

    /// A write that has no reply yet.
    struct Write {
        fileprivate let lists: Int
    }

    /// - Returns: nil for an item that is not known.
    subscript(_ id: String) -> ItemAttributes? { items[id] }

    mutating func writeBegins() -> Write {
        openWrites += 1
        return Write(lists: lists)
    }

    mutating func writeEnds() {
        openWrites -= 1
        if openWrites == 0 { heard = [] }
    }

    /// Takes note of a reply.
    /// - Returns: false if the events were faster, so that it tells nothing new.
    mutating func take(reply item: ItemAttributes, to write: Write) -> Bool {
        let id = ServiceItem.id(of: item)
        guard !heard.contains(item.revision), !deleted.contains(id), items[id] != item else { return false }
        if write.lists == lists {
            awaited[id] = item
        } else if let known = items[id], known.version > item.version {
            // Listed meanwhile. Whether an event will come is not known, so none is awaited.
            return false
        }
        items[id] = item
        return true
    }

    /// Takes note of an event about an item that is there.
    /// - Returns: false if it tells nothing new.
    mutating func take(event item: ItemAttributes) -> Bool {
        if openWrites > 0 { heard.insert(item.revision) }
        let id = ServiceItem.id(of: item)
        guard !deleted.contains(id) else { return false }
        if let state = awaited[id] {
            guard state.revision == item.revision || state.version < item.version else { return false }
            awaited[id] = nil
        }
        guard items[id] != item else { return false }
        supersede(id)
        items[id] = item
        return true
    }

    /// A reply that still tells this state is late.
    private mutating func supersede(_ id: String) {
        if openWrites > 0, let former = items[id] { heard.insert(former.revision) }
    }

    /// Takes note of an event that an item is gone.
    /// - Returns: the item; nil if it tells nothing new.
    mutating func take(deletionOf id: String) -> ItemAttributes? {
        if deleted.remove(id) != nil || awaited[id] != nil { return nil }
        supersede(id)
        return items.removeValue(forKey: id)
    }

    /// Takes note of the event that tells a deletion, if this provider has made it. What is told of the item from here
    /// on is newer.
    mutating func heard(deletionOf id: String) { deleted.remove(id) }

    /// Takes note that this provider has deleted an item.
    /// - Returns: the item; nil if that is known.
    mutating func delete(_ id: String) -> ItemAttributes? {
        guard let item = items.removeValue(forKey: id) else { return nil }
        awaited[id] = nil
        deleted.insert(id)
        return item
    }

    /// Begins with a new list of all items. It is what counts now.
    /// - Returns: the items that are no longer there.
    mutating func list(_ present: Set<String>) -> [(id: String, item: ItemAttributes)] {
        lists += 1
        awaited = [:]
        deleted = []
        let gone = items.filter { !present.contains($0.key) }.map { (id: $0.key, item: $0.value) }
        for one in gone { items[one.id] = nil }
        return gone
    }

    /// Takes note of an item of the list.
    /// - Returns: false if it tells nothing new.
    mutating func take(listed item: ItemAttributes) -> Bool {
        let id = ServiceItem.id(of: item)
        guard items[id] != item else { return false }
        items[id] = item
        return true
    }
}
