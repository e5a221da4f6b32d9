import BrokerProtocol
import Item

// Calls of tests, which may send what contradicts itself.
extension Keychain.AccessChange {
    /// Names all of it.
    public init(whole access: AccessControl) {
        self.init(
            accessibility: access.accessibility, thisDeviceOnly: access.isThisDeviceOnly,
            require: access.requirements.inOrder, any: access.anyIsEnough)
    }
}

extension Keychain.Set {
    /// Names all of the access.
    public init(
        service: String, account: String, kind: ItemKind? = nil, value: String, access: AccessControl,
        label: String? = nil, comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil,
        mode: Keychain.SetMode? = nil, ifRevision: String? = nil, applicationPassword: String? = nil,
        challenge: String? = nil
    ) {
        self.init(
            service: service, account: account, kind: kind, value: value, access: .init(whole: access), label: label,
            comment: comment, attributes: attributes, expires: expires, mode: mode, ifRevision: ifRevision,
            applicationPassword: applicationPassword, challenge: challenge)
    }
}
