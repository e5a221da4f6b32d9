import Authorization

/// Whether Coffer can ask for a finger now.
enum BiometricAvailability: Equatable {
    case available
    /// A finger can be asked for, but the enrolled fingers are not those that the vault's key is bound to.
    case otherFingers(String)
    /// Coffer cannot ask for a finger. The text tells the person why.
    case unavailable(String)

    /// Why these signatures cannot be made; nil if they can.
    func objection(to kinds: some Collection<AuthorizationKind>) -> String? {
        guard kinds.contains(where: \.isBiometric) else { return nil }
        switch self {
        case .available: return nil
        case .otherFingers(let reason): return kinds.contains(.biometryCurrentSet) ? reason : nil
        case .unavailable(let reason): return reason
        }
    }
}
