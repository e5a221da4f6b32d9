import CofferClient
import SystemBus

/// A collection as clients see it. Its items are in the ``ItemIndex``.
struct CollectionInfo: Sendable, Equatable {
    /// The last word of its object path.
    let id: String
    var label: String
    var created: Moment
    var modified: Moment

    /// All items of the vault that no client has put elsewhere. Some clients know this path by heart.
    static let defaultID = "login"
    /// In memory only: gone with the provider.
    static let sessionID = "session"

    /// Whether it is known when it was made.
    var hasTimes: Bool { created > Moment(milliseconds: 0) }
    var path: String { ObjectPath.pathOfCollection(id) }
    var isTransient: Bool { id == Self.sessionID }
}

/// The collections and their aliases.
struct CollectionTable: Equatable {
    private(set) var collections: [String: CollectionInfo] = [:]
    /// From an alias to a collection. A built-in one that was taken away has "/".
    private(set) var aliases: [String: String] = [:]
    private var transientLabel = "Session"
    private var transientModified: Moment
    let started: Moment

    /// - Parameter started: when the provider was started.
    init(started: Moment) {
        self.started = started
        transientModified = started
        reset()
    }

    private mutating func reset() {
        let (login, session) = (CollectionInfo.defaultID, CollectionInfo.sessionID)
        collections = [
            login: CollectionInfo(
                id: login, label: "Login", created: Moment(milliseconds: 0),
                modified: Moment(milliseconds: 0)),
            session: CollectionInfo(id: session, label: transientLabel, created: started, modified: transientModified),
        ]
        aliases = ["default": login, login: login, session: session]
    }

    /// Aliases that are there until somebody takes them away.
    static let builtInAliases = ["default", CollectionInfo.defaultID]

    /// Reads the provider's records among the items of the vault.
    mutating func load(_ items: some Sequence<ItemAttributes>) {
        reset()
        var stored: [String: String] = [:]
        for item in items where item.name.service == CollectionRecord.service {
            switch item.attributes[StoredAttributes.record] {
            case CollectionRecord.collectionKind:
                guard let id = item.attributes[CollectionRecord.id], ObjectPath.isWord(id),
                    id != CollectionInfo.sessionID
                else { continue }
                collections[id] = CollectionInfo(
                    id: id, label: BusText.shown(item.label ?? ""), created: item.times.created,
                    modified: item.times.modified)
            case CollectionRecord.aliasesKind:
                for (name, id) in item.attributes where name.beginsWith(CollectionRecord.alias) {
                    stored[String(decoding: name.utf8.dropFirst(CollectionRecord.alias.utf8.count), as: UTF8.self)] = id
                }
            default: continue
            }
        }
        // An alias of a missing collection counts for nothing, so that the built-in ones stay.
        for (name, id) in stored {
            let isTakenAway = id == ServiceName.none && Self.builtInAliases.contains(name)
            if collections[id] != nil || isTakenAway { aliases[name] = id }
        }
    }

    /// The `session` collection has its label in memory only.
    mutating func setTransientLabel(_ label: String, now: Moment = .now) {
        transientLabel = label
        transientModified = now
        collections[CollectionInfo.sessionID]?.label = label
        collections[CollectionInfo.sessionID]?.modified = now
    }

    subscript(_ id: String) -> CollectionInfo? { collections[id] }

    func collection(aliased alias: String) -> CollectionInfo? { aliases[alias].flatMap { collections[$0] } }

    /// When a collection began. The default one is as old as its oldest item. Its record is younger, or it has none.
    /// - Parameter oldest: when the oldest item of the collection was made; nil if it has none.
    func created(_ collection: CollectionInfo, oldest: @autoclosure () -> Moment?) -> Moment {
        guard collection.hasTimes else { return oldest() ?? started }
        guard collection.id == CollectionInfo.defaultID, let first = oldest() else { return collection.created }
        return min(collection.created, first)
    }

    /// In a stable order, the default one first.
    var all: [CollectionInfo] {
        collections.values.sorted {
            ($0.id != CollectionInfo.defaultID ? 1 : 0, $0.id) < ($1.id != CollectionInfo.defaultID ? 1 : 0, $1.id)
        }
    }

    /// An id for a new collection, made of its label.
    func newID(label: String) -> String {
        let words = label.unicodeScalars.prefix(40).map { scalar -> String in
            ObjectPath.isWord(String(scalar)) ? String(scalar) : "_"
        }
        let base = words.isEmpty ? "collection" : words.joined()
        // There are fewer collections than numbers.
        return ([base] + (2...StoreLimits.collections + 2).map { "\(base)_\($0)" }).first { collections[$0] == nil }
            ?? base
    }
}

/// How collections and aliases are kept: as items without a value, beside the items of the vault (docs/secret-service.md).
enum CollectionRecord {
    static let service = ServiceName.bus
    static let collectionKind = "collection"
    static let aliasesKind = "aliases"
    static let id = "coffer:id"
    static let alias = "coffer:alias:"

    static func name(ofCollection id: String) -> ItemName { ItemName(service: service, account: "collection/\(id)") }
    static let aliases = ItemName(service: service, account: "aliases")

    static func attributes(ofCollection id: String) -> [String: String] {
        [StoredAttributes.record: collectionKind, Self.id: id]
    }

    static func attributes(ofAliases aliases: [String: String]) -> [String: String] {
        var attributes = [StoredAttributes.record: aliasesKind]
        for (name, collection) in aliases where name != CollectionInfo.sessionID {
            attributes[alias + name] = collection
        }
        return attributes
    }
}
