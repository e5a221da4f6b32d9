import CofferSettings

/// What becomes of the settings of this machine when they meet those of a circle.
struct Meeting {
    private(set) var edits = ContentEdits()
    /// The names that have other values here than before.
    private(set) var changed: Set<String> = []
    /// The names whose values have no room in the file. They stay where they are.
    private(set) var left: Set<String> = []
    private var room: ContentRoom

    /// - Parameters:
    ///   - content: what is shared here already, or waits to be.
    ///   - values: what the circle has.
    ///   - first: the local settings that go out for the first time.
    init(
        _ content: SyncedContent, _ values: [String: SettingsJSON], first: [String: SettingsJSON],
        _ firstSync: FirstSync
    ) {
        room = ContentRoom(content)
        edits.known = Set(values.keys)
        for (name, value) in content.values where values[name] == nil {
            // It is here, and stays, even if there is no room for the mark beside it.
            _ = room.take(value, named: name, isPending: true)
            edits.names[name] = ContentEdits.NameEdit(value: value, isPending: true)
        }
        let first = first.filter { content.values[$0.key] == nil && !content.pending.contains($0.key) }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let own = content.values[name] ?? first[name] else {
                // It was removed here before they met, or was never here.
                if put(value, name, isPending: false) { changed.insert(name) }
                continue
            }
            let decided = own == value ? value : firstSync.decide(name, own, value)
            guard put(decided, name, isPending: decided != value) else {
                // The vault keeps its value. The one that is here does not go there undecided.
                if content.values[name] != nil { edits.names[name] = .init(value: own, isPending: false) }
                continue
            }
            if decided != own { changed.insert(name) }
        }
        for (name, value) in first.sorted(by: { $0.key < $1.key }) where values[name] == nil {
            _ = put(value, name, isPending: true)
        }
    }

    /// - Returns: whether there is room.
    private mutating func put(_ value: SettingsJSON, _ name: String, isPending: Bool) -> Bool {
        guard room.take(value, named: name, isPending: isPending) else {
            left.insert(name)
            return false
        }
        edits.names[name] = ContentEdits.NameEdit(value: value, isPending: isPending)
        return true
    }
}
