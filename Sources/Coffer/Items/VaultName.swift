/// The vault that a keychain is about.
public enum VaultName: Sendable, Hashable {
    /// The vault of the user who runs the program.
    case own
    /// The vault that the members of a POSIX group share. The user must be a member.
    case group(String)
    /// The service vault of an account. Only root may name one.
    case account(String)
}

/// A vault as its user may see it.
public struct VaultStatus: Sendable, Hashable {
    /// Whether a vault can be read.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// There is no vault yet. Storing the first item makes it, which asks the person.
        case none
        /// Not unlocked since the broker started.
        case sealed
        case locked
        case unlocked
    }

    /// What seals the vault's master key.
    public enum Sealer: String, Sendable, Hashable, CaseIterable {
        case tpm
        /// A key in a file of the broker's, for machines and tests without a TPM.
        case software
    }

    public let state: State
    /// nil if it is not known.
    public let sealer: Sealer?
    /// Whether the broker is a sandbox, which protects nothing.
    public let isSandbox: Bool

    public init(state: State, sealer: Sealer?, isSandbox: Bool) {
        self.state = state
        self.sealer = sealer
        self.isSandbox = isSandbox
    }
}
