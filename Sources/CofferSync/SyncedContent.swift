import CofferSettings

/// What is known of the settings of a service: the values, which of them are not in the vault yet, and the circle that they
/// met last. It is kept in a file of settings, so that reads need neither broker nor vault.
struct SyncedContent: Sendable, Equatable {
    private(set) var values: [String: SettingsJSON] = [:]
    /// All names and values together, in bytes.
    private(set) var size = 0
    /// What the file takes besides, in bytes: the signs around names and values, and the names that wait.
    private(set) var surplus = 0
    /// The names that were set or removed here and are not in the vault yet.
    private(set) var pending: Set<String> = []
    /// Those of them that were never given to the vault, so that a removal has nothing to remove there.
    private(set) var fresh: Set<String> = []
    /// The circle whose settings these are; nil until the first sync, and after this machine has left a circle.
    var circle: String?
    /// The circle before that, if this machine has left it.
    var formerCircle: String?
    /// nil: nobody has turned the switch yet.
    var isOn: Bool?

    private enum Entry {
        /// The names that wait, the fresh ones last. One setting of the file holds only so many, so there may be several.
        static func pending(_ number: Int) -> String { number == 1 ? "pending" : "pending-\(number)" }
        /// How many of them are fresh.
        static let fresh = "fresh"
        static let circle = "circle"
        static let formerCircle = "former-circle"
        static let isOn = "on"
        /// The names of settings have this before them, so none of them is one of those above.
        static let setting: Unicode.Scalar = "="
    }

    init() {}

    init(_ stored: [String: SettingsJSON]) {
        // Not by characters: a name may begin with an accent, which would be one with the sign before it.
        for (name, value) in stored where name.unicodeScalars.first == Entry.setting {
            put(value, named: String(name.unicodeScalars.dropFirst()))
        }
        var waiting: [String] = []
        var number = 1
        while case .array(let names)? = stored[Entry.pending(number)] {
            for case .string(let name) in names { waiting.append(spelling(of: name)) }
            number += 1
        }
        pending = Set(waiting)
        // A file of a former version does not tell, so the vault may have all of them.
        if case .integer(let count)? = stored[Entry.fresh] {
            fresh = Set(waiting.suffix(Int(clamping: max(count, 0))))
            fresh.formIntersection(values.keys)
        }
        surplus += pending.reduce(0) { $0 + ContentRoom.mark($1) }
        if case .string(let circle)? = stored[Entry.circle] { self.circle = circle }
        if case .string(let circle)? = stored[Entry.formerCircle] { formerCircle = circle }
        if case .bool(let isOn)? = stored[Entry.isOn] { self.isOn = isOn }
        forgetRemovals()
    }

    var stored: [String: SettingsJSON] {
        var stored: [String: SettingsJSON] = [:]
        for (name, value) in values { stored[String(Entry.setting) + name] = value }
        let waiting = pending.subtracting(fresh).sorted() + fresh.sorted()
        for (place, names) in ContentRoom.parts(waiting).enumerated() {
            stored[Entry.pending(place + 1)] = .array(names.map { .string($0) })
        }
        if !fresh.isEmpty { stored[Entry.fresh] = .integer(Int64(fresh.count)) }
        stored[Entry.circle] = circle.map { .string($0) }
        stored[Entry.formerCircle] = formerCircle.map { .string($0) }
        stored[Entry.isOn] = isOn.map { .bool($0) }
        return stored
    }

    private mutating func put(_ value: SettingsJSON?, named name: String) {
        let former = values[name]
        size += Self.size(name, value) - Self.size(name, former)
        surplus += ContentRoom.signs(name, value) - ContentRoom.signs(name, former)
        values[name] = value
    }

    static func size(_ name: String, _ value: SettingsJSON?) -> Int {
        guard let value else { return 0 }
        // `try?`: what has no text is never stored, so it takes nothing.
        return name.utf8.count + ((try? value.encoded().count) ?? 0)
    }

    /// A name as it is spelled here. Names that are equal in Unicode are one setting here, and several items of a vault.
    func spelling(of name: String) -> String {
        if let place = values.index(forKey: name) { return values[place].key }
        if let place = pending.firstIndex(of: name) { return pending[place] }
        return name
    }

    /// Whether the vault has something under a name, as far as it is known here.
    func isKnown(_ name: String) -> Bool { pending.contains(name) ? !fresh.contains(name) : values[name] != nil }

    mutating func apply(_ edits: ContentEdits) {
        fresh.subtract(edits.known)
        for (given, wanted) in edits.names {
            // Another spelling would be another item of the vault, and then there are two for one setting.
            let name = spelling(of: given)
            // Another program has set it meanwhile. That is newer, and goes out with the next exchange.
            if wanted.isFromVault && pending.contains(name) && values[name] != wanted.value {
                fresh.remove(name)
                continue
            }
            let isKnown = edits.known.contains(name) || self.isKnown(name)
            // A removal of what the vault never had waits for nothing.
            let edit = wanted.value != nil || isKnown ? wanted : ContentEdits.NameEdit(value: nil, isPending: false)
            put(edit.value, named: name)
            let wasPending = pending.contains(name)
            if edit.isPending { pending.insert(name) } else { pending.remove(name) }
            let isPending = pending.contains(name)
            if isPending != wasPending { surplus += isPending ? ContentRoom.mark(name) : -ContentRoom.mark(name) }
            if isPending && !isKnown { fresh.insert(name) } else { fresh.remove(name) }
        }
        if let circles = edits.circles { (circle, formerCircle) = circles }
        if let isOn = edits.isOn { self.isOn = isOn }
        forgetRemovals()
    }

    /// Without a circle no vault has the settings, so a removal waits for nothing. Such names would fill the file.
    private mutating func forgetRemovals() {
        guard circle == nil else { return }
        for name in pending where values[name] == nil {
            pending.remove(name)
            fresh.remove(name)
            surplus -= ContentRoom.mark(name)
        }
    }
}

/// What of the content is not in its file yet. The last edit of a name counts.
struct ContentEdits: Sendable {
    struct NameEdit: Sendable {
        let value: SettingsJSON?
        let isPending: Bool
        /// Whether this is what the vault has. It does not count where another value waits, or a removal.
        var isFromVault = false

        /// The one edit that does the same as this one and then a newer one.
        func followed(by newer: NameEdit) -> NameEdit {
            var edit = newer
            // What waits in the file is older if it was to be replaced before.
            edit.isFromVault = newer.isFromVault && isFromVault
            return edit
        }
    }

    var names: [String: NameEdit] = [:]
    /// The names under which the vault has something, or may have from now on.
    var known: Set<String> = []
    var circles: (present: String?, former: String?)?
    var isOn: Bool?

    var isEmpty: Bool { names.isEmpty && known.isEmpty && circles == nil && isOn == nil }

    /// Notes which of the names the content knows the vault to have. The file may not have heard of it yet.
    mutating func note(_ content: SyncedContent) {
        for name in names.keys where content.isKnown(name) { known.insert(name) }
    }

    /// Puts these below newer ones.
    mutating func put(below newer: ContentEdits) {
        names.merge(newer.names) { $0.followed(by: $1) }
        known.formUnion(newer.known)
        circles = newer.circles ?? circles
        isOn = newer.isOn ?? isOn
    }
}
