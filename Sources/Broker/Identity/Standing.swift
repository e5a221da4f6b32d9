import Authorization

/// By what right a caller has to do with a vault.
enum Standing: Sendable {
    /// It is his own.
    case own
    /// It is a group's, and the name service says that he is a member now.
    case member
    /// He is root, and it is the vault of an account that nobody can be asked for.
    case root
}

/// One call's vault, and the right to it. Made anew for each call: what is true of a group's members now need not be true a moment later.
struct Admission: Sendable {
    let owner: Owner
    let standing: Standing
    /// The group's or account's name, as the call has it; nil for the caller's own vault.
    let name: String?

    /// Whose time without use a call puts off: a vault's own user, where it has one.
    func idleUser(_ caller: Caller) -> UInt32 {
        if case .user(let uid) = owner { uid } else { caller.uid }
    }
}
