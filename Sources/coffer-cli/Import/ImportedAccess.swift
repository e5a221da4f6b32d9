import BrokerProtocol
import Coffer
import Import

/// The access control that an item gets from an import.
struct ImportedAccess {
    /// nil for the usual access of a new item, or if an item in the vault keeps its own.
    var change: Keychain.AccessChange?
    /// What differs from what was wanted, as a clause.
    var note: String?
    /// Why the item cannot be stored, as a clause.
    var obstacle: String?
    /// Whether an item in the vault keeps its access, because the options would make it easier to read.
    var keepsStricter = false

    static let password = "it needs an application password, which an import cannot give"

    /// For a new item: what the options say, over what the file says.
    init(_ item: ImportedItem, _ options: AccessChangeOptions) {
        // Names of access that are not known were refused before.
        guard let written = item.access.flatMap(Keychain.AccessControl.init) else {
            change = options.change
            return
        }
        var wanted = options.applied(to: written)
        if wanted.require.contains(.appPassword) {
            let others = wanted.require.filter { $0 != .appPassword }
            // One of several ways is missing then, so the item is not easier to read.
            guard wanted.any, !others.isEmpty else {
                obstacle = Self.password
                return
            }
            wanted.require = others
            wanted.any = others.count > 1
            note = "without its application password, which an import cannot give"
        }
        change = Keychain.AccessChange(wanted)
    }

    /// For an item that the vault has. A file never makes it easier to read.
    init(of present: Keychain.Item, _ options: AccessChangeOptions) {
        let wanted = options.applied(to: present.access)
        if wanted != present.access {
            if AccessWeakening(from: present.access, to: wanted) == nil {
                change = options.change
            } else {
                keepsStricter = true
            }
        }
        if (change == nil ? present.access : wanted).require.contains(.appPassword) { obstacle = Self.password }
    }
}

extension Keychain.AccessControl {
    /// - Returns: nil if this version does not know all of it. An item is never stored with fewer requirements than it had.
    init?(_ written: ImportedItem.Access) {
        guard let accessibility = Keychain.Accessibility(rawValue: written.accessibility) else { return nil }
        let require = written.require.compactMap(Keychain.Constraint.init(rawValue:))
        guard require.count == written.require.count, Set(require).count == require.count else { return nil }
        self.init(accessibility: accessibility, thisDeviceOnly: false, require: require, any: written.any)
    }
}

extension ImportedItem {
    /// Why a newer version of Coffer has to import it, as a clause; nil if this one can.
    var unknown: String? {
        if let kind, Keychain.ItemKind(rawValue: kind) == nil {
            return "this version of Coffer does not know its kind; use a newer one"
        }
        if let access, Keychain.AccessControl(access) == nil {
            return "this version of Coffer does not know its access control; use a newer one"
        }
        return nil
    }
}
