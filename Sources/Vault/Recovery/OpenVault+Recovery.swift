import Authorization
import Cryptography
import Recovery

/// Makes recovery codes.
extension OpenVault {
    /// When the valid code was made, in milliseconds since 1970-01-01 UTC; nil if there is none.
    ///
    /// - Throws: `.damaged`, `.storage`.
    public var recoveryMade: UInt64? {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in try snapshot.recovery()?.made } }
    }

    /// Wraps the vault's recovery key under a code. The vault does not change before `confirm`.
    ///
    /// - Parameter recoveryKey: X25519, 32 bytes, as released by a signature.
    /// - Throws: `.damaged` if the key is not this vault's.
    public func wrap(_ recoveryKey: SecretBytes, under code: RecoveryCode) throws(VaultError) -> UnconfirmedRecovery {
        UnconfirmedRecovery(
            wrap: try RecoveryWrap(code, recoveryKey, of: keybag, keys: keys, vault: record.vault, made: now()))
    }

    /// Makes a code the valid one. An earlier code opens nothing of this file from then on.
    ///
    /// - Returns: when the code was made, in milliseconds since 1970-01-01 UTC.
    /// - Throws: `.keysRenewed` if the code is for the keys of another vault than this one; `.damaged`, `.storage`.
    @discardableResult
    public func confirm(_ recovery: UnconfirmedRecovery) throws(VaultError) -> UInt64 {
        // A caller that waits while the keys are renewed comes to the successor, whose keys the code does not open.
        guard recovery.wrap.vault == record.vault else {
            throw VaultError(
                .keysRenewed, "the keys of the vault were renewed meanwhile, so this recovery code is not valid",
                advice: "make another one with: coffer recovery new")
        }
        try write { (change) throws(VaultError) in try change.put(recovery.wrap) }
        return recovery.wrap.made
    }
}

extension Snapshot {
    /// The valid code; nil if there is none.
    ///
    /// Earlier versions of Coffer could confirm a code for the keys from before a renewal. It opens nothing here, and is
    /// no damage.
    func recovery() throws(VaultError) -> RecoveryWrap? {
        let found = try recoveryRow()
        return found?.vault == header.vault ? found : nil
    }

    /// The recovery row, authenticated by the tree; nil if the tree proves that there is none.
    func recoveryRow() throws(VaultError) -> RecoveryWrap? {
        let content = try rows.recovery()
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            let digest = try content.map { (content) throws(CryptographyError) in
                try TreeEntry.digest(recovery: content)
            }
            return (try TreeEntry.recoveryKey(), digest)
        }
        guard try tree.digest(of: key) == digest else { throw .damaged("its recovery row is foreign or changed") }
        return try content.map { (content) throws(VaultError) in try RecoveryWrap(decoding: content) }
    }
}

extension Change {
    func put(_ wrap: RecoveryWrap) throws(VaultError) {
        let content = wrap.encoded
        try rows.put(recovery: content)
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (try TreeEntry.recoveryKey(), try TreeEntry.digest(recovery: content))
        }
        try tree.set(key, digest)
        // An earlier code, lost or seen by others, must not become valid again with an older file.
        try moveEpoch()
    }
}
