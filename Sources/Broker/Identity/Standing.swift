import Authorization

/// Why a caller may use a vault.
enum Standing: Sendable {
    /// It is the caller's own vault.
    case own
    /// It is a group's vault, and the name service says that the caller is a member now.
    case member
    /// The caller is root, and it is the vault of an account for which nobody can be prompted.
    case root
}

/// The vault of one call, and the right to use it. It is made anew for each call, because group membership can change
/// at any time.
struct Admission: Sendable {
    let owner: Owner
    let standing: Standing
    /// The name of the group or account in the call; nil for the caller's own vault.
    let name: String?

    /// The user whose idle time the call restarts: the vault's own user if it has one, otherwise the caller.
    func idleUser(_ caller: Caller) -> UInt32 {
        if case .user(let uid) = owner { uid } else { caller.uid }
    }
}
