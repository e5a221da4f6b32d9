import Authorization

/// What helps if this TPM will never open a vault again. Setting it aside destroys nothing.
enum SetAsideWords {
    /// - Parameter record: the vault's; nil if it is not known.
    static func recovery(_ record: RegistryRecord?) -> String {
        let place =
            switch record?.owner {
            case .group: "--group \(record?.ownerName ?? "NAME")"
            case .user, nil: "--user \(record?.ownerName ?? "NAME")"
            }
        return "root sets the vault aside with: coffer vault set-aside \(place), which says how to restore the secrets"
    }
}
