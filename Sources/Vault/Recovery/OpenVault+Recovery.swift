import Cryptography
import Recovery

/// A code that was made and does not count yet: nothing of it is in the vault's file.
public struct UnconfirmedRecovery: Sendable {
    let wrap: RecoveryWrap
}

/// Making a recovery code.
extension OpenVault {
    /// When the valid code was made; nil where there is none.
    ///
    /// - Throws: `.damaged`, `.storage`.
    public var recoveryMade: UInt64? {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in try snapshot.recovery()?.made } }
    }

    /// Puts the vault's recovery key under a code. The vault stays as it is until `confirm`.
    ///
    /// - Parameter recoveryKey: X25519, 32 bytes, as a signature released it.
    /// - Throws: `.damaged` where it is not this vault's.
    public func wrap(_ recoveryKey: SecretBytes, under code: RecoveryCode) throws(VaultError) -> UnconfirmedRecovery {
        let made = now()
        let wrap: RecoveryWrap? = try cryptography { () throws(CryptographyError) in
            let key = try X25519.PrivateKey(rawRepresentation: recoveryKey)
            // A code for another key would bring nothing back on the day that it is needed.
            guard key.publicKey == keybag.publicKey(of: .recovery) else { return nil }
            return try RecoveryWrap(code, recoveryKey: key, keys: keys, vault: record.vault, made: made)
        }
        guard let wrap else { throw .damaged("its recovery key is another one's") }
        return UnconfirmedRecovery(wrap: wrap)
    }

    /// Makes a code the valid one; an earlier code opens nothing of this file any more.
    ///
    /// - Returns: when it was made.
    /// - Throws: `.damaged`, `.storage`.
    @discardableResult
    public func confirm(_ recovery: UnconfirmedRecovery) throws(VaultError) -> UInt64 {
        try write { (change) throws(VaultError) in try change.put(recovery.wrap) }
        return recovery.wrap.made
    }
}

extension Snapshot {
    /// What the recovery code opens, as far as the tree vouches for it; nil where the tree proves that there is none.
    func recovery() throws(VaultError) -> RecoveryWrap? {
        let content = try rows.recovery()
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            let digest = try content.map { (content) throws(CryptographyError) in
                try TreeEntry.digest(recovery: content)
            }
            return (try TreeEntry.recoveryKey(), digest)
        }
        guard try tree.digest(of: key) == digest else { throw .damaged("its recovery row is foreign or changed") }
        let wrap = try content.map { (content) throws(VaultError) in try RecoveryWrap(decoding: content) }
        guard wrap.map({ $0.vault == header.vault }) ?? true else { throw .damaged("its recovery row is foreign") }
        return wrap
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
        // An earlier code, lost or seen by others, must not come back with an older file.
        try moveEpoch()
    }
}
