import Authorization
import BrokerProtocol

/// When an answer may be used again: for reading an item that requires the same kind of proof. Never for unlocking, for recovery or for making a
/// vault.
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
        // Each service proves presence.
        case .presence: !services.isEmpty
        case .biometryAny, .biometryCurrentSet: services.contains(.biometric)
        case .passcode: services.contains(.passcode)
        case .unlock, .recovery, .boot: false
        }
    }
}
