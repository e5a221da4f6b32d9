// What an item's members and those of a call that sets them can be.
extension Keychain {
    /// When an item can be read.
    public enum Accessibility: String, Codable, Sendable, CaseIterable {
        case whenUnlocked = "when-unlocked"
        case afterFirstUnlock = "after-first-unlock"
        case passcodeSet = "passcode-set"
        case always
    }

    /// What reading an item takes.
    public enum Constraint: String, Codable, Sendable, CaseIterable {
        case presence
        case biometry
        case biometryCurrentSet = "biometry-current-set"
        case passcode
        case appPassword = "app-password"
    }

    /// What an item is. Items of different kinds have different names, even if service and account are the same.
    public enum ItemKind: String, Codable, Sendable, CaseIterable {
        /// A password, a token, or anything else.
        case generic
        /// A password for a server.
        case internet
        case key, certificate
        /// The key of a protected file.
        case file
    }

    /// What `Set` does when the item is or is not there.
    public enum SetMode: String, Codable, Sendable, CaseIterable {
        case replace, new, existing
    }

    /// When changes are protected against an older copy of the file, if not at once.
    public enum RollbackTime: String, Codable, Sendable, CaseIterable {
        case later
    }
}

extension Keychain.Change {
    /// What one change of `Apply` does.
    public enum Action: String, Codable, Sendable, CaseIterable {
        case set, delete
        /// Deletes all items of a service.
        case deleteService
    }
}

extension Keychain.AccessChange {
    /// Names all of it.
    public init(_ access: Keychain.AccessControl) {
        self.init(
            accessibility: access.accessibility, thisDeviceOnly: access.thisDeviceOnly, require: access.require,
            any: access.any)
    }

    /// What an item has after the change.
    public func applied(to former: Keychain.AccessControl) -> Keychain.AccessControl {
        Keychain.AccessControl(
            accessibility: accessibility ?? former.accessibility,
            thisDeviceOnly: thisDeviceOnly ?? former.thisDeviceOnly, require: require ?? former.require,
            any: any ?? (require == nil && former.any))
    }
}

extension Keychain.Set {
    /// Names all of the access.
    public init(
        service: String, account: String, kind: Keychain.ItemKind? = nil, value: String,
        access: Keychain.AccessControl, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expires: Int64? = nil, mode: Keychain.SetMode? = nil,
        ifRevision: String? = nil, applicationPassword: String? = nil, challenge: String? = nil
    ) {
        self.init(
            service: service, account: account, kind: kind, value: value, access: Keychain.AccessChange(access),
            label: label,
            comment: comment, attributes: attributes, expires: expires, mode: mode, ifRevision: ifRevision,
            applicationPassword: applicationPassword, challenge: challenge)
    }
}
