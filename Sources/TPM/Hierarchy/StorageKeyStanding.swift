/// Whether a pinned storage key is still at its handle.
public enum StorageKeyStanding: Sendable, Hashable {
    case pinned
    /// There is nothing at its handle.
    case absent
    /// There is another object at its handle.
    case another
}

extension TPMContext {
    /// Checks a storage key's handle. Takes one command, without authorization.
    public func standing(of identity: StorageKeyIdentity) throws(TPMError) -> StorageKeyStanding {
        guard let found = try PublicRead.area(identity.handle, engine.channel) else { return .absent }
        return found.name == identity.name ? .pinned : .another
    }
}
