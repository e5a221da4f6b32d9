/// The vault that a keychain is about.
///
/// ```swift
/// let team = Keychain(service: "com.example.app", group: "developers")
/// assert(team.vault == .group("developers"))
/// ```
public enum VaultName: Sendable, Hashable {
    /// The vault of the user who runs the program.
    case own
    /// The vault that the members of a POSIX group share. The user must be a member.
    case group(String)
    /// The service vault of an account. Only root may name one.
    case account(String)

    /// Compares bytes, because two different names can be equal in Unicode.
    public static func == (one: VaultName, other: VaultName) -> Bool {
        switch (one, other) {
        case (.own, .own): true
        case (.group(let name), .group(let others)), (.account(let name), .account(let others)):
            name.utf8.elementsEqual(others.utf8)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .own: hasher.combine(0)
        case .group(let name): hasher.combine(Array(name.utf8))
        case .account(let name): hasher.combine(Array(name.utf8))
        }
    }
}

/// A vault as its user may see it.
///
/// ```swift
/// guard try await keychain.status().state == .unlocked else { return }
/// ```
public struct VaultStatus: Sendable, Hashable {
    /// Whether a vault can be read.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// There is no vault yet. Storing the first item makes it, which asks the person.
        case none
        /// Not unlocked since the broker started.
        case sealed
        /// Locked, and names can be listed.
        case locked
        /// Open: items that need nobody are given out.
        case unlocked
    }

    /// What seals the vault's master key.
    public enum Sealer: String, Sendable, Hashable, CaseIterable {
        /// This machine's TPM 2.0.
        case tpm
        /// A key in a file of the broker's, for machines and tests without a TPM.
        case software
    }

    /// Whether the vault is there, and unlocked.
    public let state: State
    /// nil if it is not known.
    public let sealer: Sealer?
    /// Whether the broker is a sandbox, which protects nothing.
    public let isSandbox: Bool

    /// For backends. Applications get it from ``Keychain/status()``.
    public init(state: State, sealer: Sealer?, isSandbox: Bool) {
        self.state = state
        self.sealer = sealer
        self.isSandbox = isSandbox
    }
}
