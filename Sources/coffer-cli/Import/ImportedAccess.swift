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
    /// What the item requires then.
    private(set) var result: AccessControl

    static let password = "it needs an application password, which an import cannot give"
    private static let withoutPassword = "without its application password, which an import cannot give"

    /// For a new item: what the options say, over what the file says.
    /// - Throws: `.invalidArgument` if that contradicts itself.
    init(_ item: ImportedItem, _ options: AccessChangeOptions) throws(KeychainError) {
        guard let access = item.access else {
            result = try options.applied(to: .whenUnlocked)
            change = options.change
            return
        }
        let wanted = try options.applied(to: AccessControl(access))
        guard let given = try wanted.withoutPassword else {
            result = wanted
            obstacle = Self.password
            return
        }
        if given != wanted { note = Self.withoutPassword }
        result = try given.checked
        change = PartialAccess(result)
    }

    /// For an item that the vault has. A file never makes it easier to read, and no value of the file gets easier to read.
    /// - Parameter item: whose value the present item has or takes; nil if it keeps its own value.
    /// - Throws: `.invalidArgument` if the options contradict it.
    init(of present: ItemAttributes, for item: ImportedItem?, _ options: AccessChangeOptions) throws(KeychainError) {
        let optional = try options.applied(to: present.access)
        keepsStricter = AccessWeakening(from: present.access, to: optional) != nil
        result = keepsStricter ? present.access : optional
        if result != present.access { change = options.change }
        if let access = item?.access { try tighten(to: options.applied(to: AccessControl(access)), present) }
        if result.requirements.contains(.applicationPassword) { obstacle = Self.password }
    }

    /// Makes the item as strict as the file says, so that a value does not lose its guard on the way.
    private mutating func tighten(to file: AccessControl, _ present: ItemAttributes) throws(KeychainError) {
        guard AccessWeakening(from: file, to: result) != nil else { return }
        guard let given = try file.withoutPassword else {
            obstacle = Self.password
            return
        }
        guard let both = FoldedAccess.stricter(given, result) else {
            obstacle =
                "in the file it \(FoldedAccess.words(file)), \(present.shownName) in your vault \(FoldedAccess.words(result)), and neither is stricter; give both the same with: coffer edit --require"
            return
        }
        guard both != result else { return }
        if given != file { note = Self.withoutPassword }
        result = try both.checked
        change = PartialAccess(result)
    }
}

extension AccessControl {
    /// The same without an application password; nil if nothing else opens it.
    fileprivate var withoutPassword: AccessControl? {
        get throws(KeychainError) {
            guard requirements.contains(.applicationPassword) else { return self }
            // One of several ways is missing then, so the item is not easier to read.
            guard anyIsEnough else { return nil }
            let others = requirements.subtracting([.applicationPassword])
            do throws(AccessControlError) {
                return try AccessControl(
                    accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: others,
                    anyIsEnough: others.count > 1)
            } catch { throw KeychainError(error) }
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
        // An application's settings are its own, and go to all machines. The list of the vault does not even show them.
        if kind == ItemKind.setting.rawValue {
            return "it is a setting of an application, and settings are not imported"
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
