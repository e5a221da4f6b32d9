import CofferClient
import Cryptography
import SystemBus

/// An item as the Secret Service has it.
struct ServiceItem: Sendable, Equatable {
    /// The last word of its object path. It stays the same as long as the item is there.
    let id: String
    let collection: String
    var label: String
    var attributes: [String: String]
    let created: Moment
    var modified: Moment
    var expires: Moment?
    var place: Place

    /// Where the value is.
    enum Place: Sendable, Equatable {
        /// In the vault, with these attributes of its own.
        case vault(ItemAttributes)
        /// In memory only: an item of the `session` collection.
        case memory(SecretBytes, contentType: String)
    }

    var path: String { ObjectPath.pathOfItem(id, in: collection) }

    /// The item in the vault; nil for one in memory.
    var stored: ItemAttributes? { if case .vault(let stored) = place { stored } else { nil } }

    /// The content type of an item of the vault, as clients see it.
    static func contentType(of stored: ItemAttributes) -> String {
        BusText.shown(StoredAttributes.contentType(of: stored))
    }

    /// Whether it has attributes that clients do not see, because D-Bus does not carry them.
    var hidesAttributes: Bool { stored.map { StoredAttributes.decode($0).count > attributes.count } ?? false }

    /// GNOME's name for what `xdg:schema` says.
    var type: String { attributes["xdg:schema"] ?? "org.freedesktop.Secret.Generic" }

    func hasExpired(now: Moment) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether Unlock must be called before it can be read.
    func isLocked(in state: VaultStatus.State) -> Bool {
        guard let access = stored?.access else { return false }
        switch (access.accessibility, state) {
        case (_, .unlocked), (.always, .sealed), (.always, .locked), (.afterFirstUnlock, .locked): return false
        default: return true
        }
    }
}

extension Moment {
    /// Times on the bus are seconds since 1970.
    var busSeconds: UInt64 { UInt64(max(0, min(secondsSince1970, 0x1p52))) }
}
