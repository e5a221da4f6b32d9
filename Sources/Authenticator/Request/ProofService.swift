import Authorization

/// A PAM service: one kind of proof that a person can give. This table, never the broker, decides which service a signature takes.
enum ProofService: String, Sendable, Equatable, CaseIterable {
    /// A finger or a face, and nothing else.
    case biometric = "coffer-biometric"
    /// The login password, and nothing else.
    case passcode = "coffer-passcode"
    /// Any factor.
    case anyFactor = "coffer"

    /// A refusal as it is to be told: of a finger, PAM says what it would say of a password.
    func translated(_ error: ConversationError) -> ConversationError {
        guard self == .biometric, case .refused(let refusal) = error else { return error }
        switch refusal.reason {
        case "password": return .refused(.failed(.biometry, "no enrolled finger was recognised"))
        case "tries": return .refused(.failed(.biometry, "no enrolled finger was recognised in all tries"))
        case "unavailable":
            return .refused(.failed(.biometry, "the fingerprint reader read no finger in time, or was removed"))
        default: return error
        }
    }

    /// The services that earn all of these signatures, in the order in which they are asked. The person must pass each.
    ///
    /// The biometric and the passcode service also prove presence. A vault is opened by the passcode or by `coffer`, never by a biometric alone.
    ///
    /// - Parameter password: whether the password itself is needed, because the vault is bound to it. No other factor will do then.
    static func needed(
        for kinds: some Collection<AuthorizationKind>, withPassword password: Bool = false
    ) -> [ProofService] {
        var services: [ProofService] = []
        if kinds.contains(where: \.isBiometric) { services.append(.biometric) }
        if kinds.contains(.passcode) || password { services.append(.passcode) }
        let opens = kinds.contains(.unlock) || kinds.contains(.recovery) || kinds.contains(.boot)
        if services.isEmpty || (opens && !services.contains(.passcode)) { services.append(.anyFactor) }
        return services
    }
}
