import Authorization
import Cryptography

/// Gives one item a fresh key.
extension OpenVault {
    /// Seals an item's value under a fresh key, readable in the same ways as before. Everything else about the item
    /// stays, including its times.
    ///
    /// - Parameters:
    ///   - item: as it was when the value was read.
    ///   - applicationPassword: stretched with a fresh salt, if the item has one.
    /// - Throws: `.changed` if the item has another version by now; `.fingersChanged` if the item is bound to fingers
    ///   that are no longer enrolled; `.invalidArgument`; `.damaged`; `.storage`.
    @discardableResult
    public func rotate(
        _ item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(item.access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let metadata = old.summary.metadata
            // The item may have been read without a finger. It must not become readable by fingers enrolled since,
            // because nobody was asked for that.
            guard metadata.biometrySet == nil || metadata.biometrySet == record.biometrySet.map(Hex.encode) else {
                throw VaultError(
                    .fingersChanged, "the enrolled fingers changed since this item was set",
                    advice: "set it again with: coffer set")
            }
            let summary = try store(
                value, metadata, old.summary.access, password: applicationPassword, replacing: old, change)
            // The earlier key must not come back with an older file.
            try change.moveEpoch()
            return summary
        }
    }
}
