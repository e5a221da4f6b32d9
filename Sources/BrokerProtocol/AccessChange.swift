import Item
import JSON

// What an item's members and those of a call that sets them can be.
extension Keychain {
    /// What `Set` does when the item is or is not there.
    public enum SetMode: String, Codable, JSONValue, CaseIterable {
        case replace, new, existing
    }

    /// When changes are protected against an older copy of the file, if not at once.
    public enum RollbackTime: String, Codable, JSONValue, CaseIterable {
        case later
    }
}

extension Keychain.Change {
    /// What one change of `Apply` does.
    public enum Action: String, Codable, JSONValue, CaseIterable {
        case set, delete
        /// Deletes all items of a service.
        case deleteService
    }
}

extension Keychain.AccessChange {
    /// Names all of it.
    /// - Throws: if it contradicts itself.
    public init(_ access: AccessControl) throws(AccessControlError) { try self.init(PartialAccess(access)) }

    /// - Throws: if it is a whole access control that contradicts itself.
    package init(_ partial: PartialAccess) throws(AccessControlError) {
        _ = try partial.checkedWhole
        self.init(
            accessibility: partial.accessibility, thisDeviceOnly: partial.isThisDeviceOnly,
            require: partial.requirements, any: partial.anyIsEnough)
    }

    /// What an item has after the change.
    /// - Throws: if that contradicts itself.
    public func applied(to former: AccessControl) throws(AccessControlError) -> AccessControl {
        try PartialAccess(self).applied(to: former)
    }
}

extension PartialAccess {
    /// A call that names none changes nothing.
    public init(_ change: Keychain.AccessChange?) {
        self.init(
            accessibility: change?.accessibility, isThisDeviceOnly: change?.thisDeviceOnly,
            requirements: change?.require, anyIsEnough: change?.any)
    }
}
