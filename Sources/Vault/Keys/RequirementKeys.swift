import Authorization
import Item

extension Set<AccessControl.Requirement> {
    /// The constraint keys needed for reading, in order. The application password has no such key.
    public var roles: [ObjectRole] { inOrder.compactMap(\.role) }
}

extension AccessControl.Requirement {
    /// Its key in the vault.
    var role: ObjectRole? {
        switch self {
        case .userPresence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .devicePasscode: .passcode
        case .applicationPassword: nil
        }
    }
}
