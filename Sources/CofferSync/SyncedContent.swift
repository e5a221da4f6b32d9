import CofferSettings

/// What is known of the settings of a service: the values, which of them are not in the vault yet, and the circle that they
/// met last. It is kept in a file of settings, so that reads need neither broker nor vault.
struct SyncedContent: Sendable, Equatable {
    private(set) var values: [String: SettingsJSON] = [:]
    /// All names and values together, in bytes.
    private(set) var size = 0
    /// The names that were set or removed here and are not in the vault yet.
    var pending: Set<String> = []
    /// The circle whose settings these are; nil until the first sync, and after this machine has left a circle.
    var circle: String?
    /// The circle before that, if this machine has left it.
    var formerCircle: String?
    /// nil: nobody has turned the switch yet.
    var isOn: Bool?

    private enum Entry {
        static let pending = "pending"
        static let circle = "circle"
        static let formerCircle = "former-circle"
        static let isOn = "on"
        /// The names of settings have this before them, so none of them is one of those above.
        static let setting: Character = "="
    }

    init() {}

    init(_ stored: [String: SettingsJSON]) {
        for (name, value) in stored where name.first == Entry.setting { put(value, named: String(name.dropFirst())) }
        if case .array(let names)? = stored[Entry.pending] {
            for case .string(let name) in names { pending.insert(name) }
        }
        if case .string(let circle)? = stored[Entry.circle] { self.circle = circle }
        if case .string(let circle)? = stored[Entry.formerCircle] { formerCircle = circle }
        if case .bool(let isOn)? = stored[Entry.isOn] { self.isOn = isOn }
        forgetRemovals()
    }

    var stored: [String: SettingsJSON] {
        var stored: [String: SettingsJSON] = [:]
        for (name, value) in values { stored[String(Entry.setting) + name] = value }
        if !pending.isEmpty { stored[Entry.pending] = .array(pending.sorted().map { .string($0) }) }
        stored[Entry.circle] = circle.map { .string($0) }
        stored[Entry.formerCircle] = formerCircle.map { .string($0) }
        stored[Entry.isOn] = isOn.map { .bool($0) }
        return stored
    }

    private mutating func put(_ value: SettingsJSON?, named name: String) {
        size += Self.size(name, value) - Self.size(name, values[name])
        values[name] = value
    }

    static func size(_ name: String, _ value: SettingsJSON?) -> Int {
        guard let value else { return 0 }
        // `try?`: what has no text is never stored, so it takes nothing.
        return name.utf8.count + ((try? value.encoded().count) ?? 0)
    }

    mutating func apply(_ edits: ContentEdits) {
        for (name, edit) in edits.names {
            put(edit.value, named: name)
            if edit.isPending { pending.insert(name) } else { pending.remove(name) }
        }
        if let circles = edits.circles { (circle, formerCircle) = circles }
        if let isOn = edits.isOn { self.isOn = isOn }
        forgetRemovals()
    }

    /// Without a circle no vault has the settings, so a removal waits for nothing. Such names would fill the file.
    private mutating func forgetRemovals() {
        if circle == nil { pending.formIntersection(values.keys) }
    }
}

/// What of the content is not in its file yet. The last edit of a name counts.
struct ContentEdits: Sendable {
    struct NameEdit: Sendable {
        let value: SettingsJSON?
        let isPending: Bool
    }

    var names: [String: NameEdit] = [:]
    var circles: (present: String?, former: String?)?
    var isOn: Bool?

    var isEmpty: Bool { names.isEmpty && circles == nil && isOn == nil }

    /// Puts these below newer ones.
    mutating func put(below newer: ContentEdits) {
        names.merge(newer.names) { _, newer in newer }
        circles = newer.circles ?? circles
        isOn = newer.isOn ?? isOn
    }
}
