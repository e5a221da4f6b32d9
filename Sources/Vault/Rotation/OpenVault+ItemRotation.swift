import Authorization
import Cryptography

/// A fresh key for one item.
extension OpenVault {
    /// Seals an item's value under a fresh key, for whom it was sealed before; all else about the item stays, its times included.
    ///
    /// - Parameters:
    ///   - item: as it was when the value was read.
    ///   - applicationPassword: where the item has one, stretched with a fresh salt.
    /// - Throws: `.changed` where it is another version by now; `.fingersChanged` where fingers are a way to it that are not the enrolled ones any more;
    ///   `.invalidArgument`; `.damaged`, `.storage`.
    @discardableResult
    public func rotate(
        _ item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(item.access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let metadata = old.summary.metadata
            // Read in another of its ways, it must not become readable by fingers that were enrolled since: nobody was asked for that.
            guard metadata.biometrySet == nil || metadata.biometrySet == record.biometrySet.map(Hex.encode) else {
                throw VaultError(.fingersChanged, "the enrolled fingers changed since this item was set")
            }
            let summary = try store(
                value, metadata, old.summary.access, password: applicationPassword, replacing: old, change)
            // The key before must not come back with an older file.
            try change.moveEpoch()
            return summary
        }
    }
}
