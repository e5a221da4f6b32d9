import Authorization
import BrokerProtocol

/// For what an answer may be used again: reading an item whose very kind of proof was given. Never for unlocking, for recovery or for making a vault.
enum ReuseRule {
    /// - Parameter services: the PAM services that let the person in.
    static func allows(
        _ kinds: [AuthorizationKind], for purposes: Set<Keychain.Purpose>, by services: Set<ProofService>
    ) -> Bool {
        guard purposes == [.read], !kinds.isEmpty else { return false }
        return kinds.allSatisfy { isMet($0, by: services) }
    }

    private static func isMet(_ kind: AuthorizationKind, by services: Set<ProofService>) -> Bool {
        switch kind {
        // Each service is a proof of presence.
        case .presence: !services.isEmpty
        case .biometryAny, .biometryCurrentSet: services.contains(.biometric)
        case .passcode: services.contains(.passcode)
        case .unlock, .recovery, .boot: false
        }
    }
}
