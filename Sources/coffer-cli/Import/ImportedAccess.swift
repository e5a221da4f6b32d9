import Coffer
import Import

/// The access control that an item gets from an import.
struct ImportedAccess {
    /// nil for the usual access of a new item, or if an item in the vault keeps its own.
    var change: PartialAccess?
    /// What differs from what was wanted, as a clause.
    var note: String?
    /// Why the item cannot be stored, as a clause.
    var obstacle: String?
    /// Whether an item in the vault keeps its access, because the options would make it easier to read.
    var keepsStricter = false

    static let password = "it needs an application password, which an import cannot give"

    /// For a new item: what the options say, over what the file says.
    /// - Throws: `.invalidArgument` if that contradicts itself.
    init(_ item: ImportedItem, _ options: AccessChangeOptions) throws(KeychainError) {
        guard let access = item.access else {
            _ = try options.applied(to: .whenUnlocked)
            change = options.change
            return
        }
        var wanted = try options.applied(to: AccessControl(access))
        if wanted.requirements.contains(.applicationPassword) {
            let others = wanted.requirements.subtracting([.applicationPassword])
            // One of several ways is missing then, so the item is not easier to read.
            guard wanted.anyIsEnough else {
                obstacle = Self.password
                return
            }
            do throws(AccessControlError) {
                wanted = try AccessControl(
                    wanted.accessibility, isThisDeviceOnly: wanted.isThisDeviceOnly, requirements: others,
                    anyIsEnough: others.count > 1)
            } catch { throw KeychainError(error) }
            note = "without its application password, which an import cannot give"
        }
        change = PartialAccess(try wanted.checked)
    }

    /// For an item that the vault has. A file never makes it easier to read.
    /// - Throws: `.invalidArgument` if the options contradict it.
    init(of present: ItemAttributes, _ options: AccessChangeOptions) throws(KeychainError) {
        let wanted = try options.applied(to: present.access)
        if wanted != present.access {
            if AccessWeakening(from: present.access, to: wanted) == nil {
                change = options.change
            } else {
                keepsStricter = true
            }
        }
        if (change == nil ? present.access : wanted).requirements.contains(.applicationPassword) {
            obstacle = Self.password
        }
    }
}

extension AccessControl {
    /// An item is never stored with fewer requirements than it had.
    /// - Throws: `.invalidArgument` if this version does not know all of it, or if it contradicts itself.
    fileprivate init(_ written: ImportedItem.Access) throws(KeychainError) {
        let require = written.require.compactMap(Requirement.init(rawValue:))
        guard require.count == written.require.count, let accessibility = Accessibility(rawValue: written.accessibility)
        else {
            throw KeychainError(
                .invalidArgument, "this version of Coffer does not know its access control", advice: "use a newer one")
        }
        do throws(AccessControlError) {
            try self.init(accessibility, requirements: Set(naming: require), anyIsEnough: written.any)
        } catch { throw KeychainError(error) }
    }
}

extension ImportedItem {
    /// Why this version of Coffer cannot import it, as a clause; nil if it can.
    var unknown: String? {
        if let kind, ItemKind(rawValue: kind) == nil {
            return "this version of Coffer does not know its kind; use a newer one"
        }
        if let field, FieldKind(rawValue: field.kind) == nil {
            return
                "this version of Coffer does not know the kind of its field \(VisibleText.quoted(field.name)); use a newer one"
        }
        guard let access else { return nil }
        do throws(KeychainError) {
            _ = try AccessControl(access)
            return nil
        } catch { return error.description }
    }
}
