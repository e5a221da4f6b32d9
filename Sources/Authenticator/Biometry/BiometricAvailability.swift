import Authorization

/// Whether a finger can be asked for, here and now.
enum BiometricAvailability: Equatable {
    case available
    /// Fingers can be asked for, and they are others than those that the vault's key is bound to.
    case otherFingers(String)
    /// Why not, in words for the person.
    case unavailable(String)

    /// What keeps these signatures from being earned; nil where nothing does.
    func objection(to kinds: some Collection<AuthorizationKind>) -> String? {
        guard kinds.contains(where: \.isBiometric) else { return nil }
        switch self {
        case .available: return nil
        case .otherFingers(let reason): return kinds.contains(.biometryCurrentSet) ? reason : nil
        case .unavailable(let reason): return reason
        }
    }
}
