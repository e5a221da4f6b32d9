/// With which machines a vault shares its items. See ``Keychain/sharing()``.
///
/// ```swift
/// let sharing = try await keychain.sharing()
/// print(sharing.machines.map { $0.name ?? "unknown" })
/// ```
public struct SharingState: Sendable, Hashable {
    /// A machine that the vault shares its items with.
    public struct Machine: Sendable, Hashable {
        /// Names the machine. It stays the same as long as the machine is in the circle.
        public let id: String
        /// What it calls itself; nil if that is not known here yet.
        public let name: String?
        /// Whether something that it gave out has come here.
        public let isHeard: Bool
        /// Whether it has said that it took in all that this machine gave out.
        public let hasTakenAll: Bool

        /// For backends.
        public init(id: String, name: String?, isHeard: Bool, hasTakenAll: Bool) {
            self.id = id
            self.name = name
            self.isHeard = isHeard
            self.hasTakenAll = hasTakenAll
        }
    }

    /// Names the circle of machines; nil if this machine is in none.
    public let circle: String?
    /// The other machines of the circle.
    public let machines: [Machine]
    /// How many changes of this machine wait to be given out.
    public let pending: Int
    /// How many parts of items several machines have changed at the same time; nil if only an unlocked vault can tell.
    public let conflicts: Int?
    /// This machine's own name among those that have made a revision; nil without a circle.
    package var ownDevice: String?

    /// For backends. Applications get it from ``Keychain/sharing()``.
    public init(circle: String? = nil, machines: [Machine] = [], pending: Int = 0, conflicts: Int? = 0) {
        self.circle = circle
        self.machines = machines
        self.pending = pending
        self.conflicts = conflicts
    }

    /// Whether what the others had is here: something of another machine came, or there is no other.
    package var hasHeard: Bool { machines.isEmpty || machines.contains(where: \.isHeard) }
}

/// How far an item has come on its way to the other machines. See ``Keychain/sharing(of:)``.
///
/// ```swift
/// if try await keychain.sharing(of: "note-7") == .waiting { print("not sent yet") }
/// ```
public enum ItemSharing: String, Sendable, Hashable, CaseIterable {
    /// It stays on this machine, because of its access control or because there is no circle.
    case local
    /// It was changed here, and that was not given out yet.
    case waiting
    /// Everything about it was given out, and not all machines have said that they took it in.
    case givenOut
    /// All machines of the circle have it as it is here.
    case everywhere
}

/// A part of an item that several machines have changed at the same time. See ``Keychain/conflicts()``.
///
/// ```swift
/// for conflict in try await keychain.conflicts() { print(conflict.name.account, conflict.revisions.count) }
/// ```
public struct ItemConflict: Sendable, Hashable {
    /// What of the item differs.
    public enum Part: Sendable, Hashable {
        /// The value of a field.
        case field(FieldName)
        /// The name.
        case name
        /// The label.
        case label
        /// The comment.
        case comment
        /// The attribute of this name.
        case attribute(String)
        /// When it expires.
        case expiry
    }

    /// What one machine has made of the part.
    public struct Revision: Sendable, Hashable {
        /// Names it. ``Keychain/bytes(of:in:)`` reads the value, and ``Keychain/resolve(_:taking:)`` decides for it.
        public let id: String
        /// What the machine calls itself; nil if that is not known here.
        public let machine: String?
        /// Whether this machine has made it.
        public let isOwn: Bool
        /// Whether all machines show this one.
        public let isShown: Bool
        /// Whether its value opens here.
        public let isReadable: Bool

        /// For backends.
        public init(id: String, machine: String?, isOwn: Bool, isShown: Bool, isReadable: Bool = true) {
            self.id = id
            self.machine = machine
            self.isOwn = isOwn
            self.isShown = isShown
            self.isReadable = isReadable
        }
    }

    /// The item's ``ItemAttributes/id``.
    public let item: String
    /// The item's name here.
    public let name: ItemName
    /// What of it differs.
    public let part: Part
    /// At least two. The one that all machines show comes first.
    public let revisions: [Revision]

    /// For backends. Applications get conflicts from ``Keychain/conflicts()``.
    public init(item: String, name: ItemName, part: Part, revisions: [Revision]) {
        self.item = item
        self.name = name
        self.part = part
        self.revisions = revisions
    }
}
