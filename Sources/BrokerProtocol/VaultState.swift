extension Keychain.VaultState {
    /// Whether a vault can be read.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// There is no vault yet.
        case none
        /// Not unlocked since the broker started.
        case sealed
        case locked
        case unlocked
    }
}

extension Keychain.BootCoverage {
    /// Whether a tie holds one part of the boot.
    public enum Part: String, Codable, Sendable {
        case held, open
        /// The firmware's log does not tell.
        case unknown
    }
}

extension Keychain {
    /// The kind of `Damaged` that `AcceptVault` is the way forward from: an older copy of the file, or a counter that is gone.
    public static let rollback = "rollback"
}

extension BrokerInterface {
    /// The TPM's kind for a password that is not the one that the vault is bound to.
    public static let wrongPassword = "wrong-password"
}
