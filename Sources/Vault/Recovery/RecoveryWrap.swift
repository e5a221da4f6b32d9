import Authorization
import Cryptography
import Recovery

/// The row of the table `recovery`, which a recovery code opens (docs/vault-format.md, "The recovery code").
struct RecoveryWrap: Sendable, Equatable {
    static let saltCount = 32
    static let keyCount = 32
    /// The recovery key, then the keys for index, metadata, integrity and class MAC.
    static let contentCount = 5 * keyCount
    static let sealedCount = contentCount + AESGCM.overhead

    let vault: VaultID
    /// Milliseconds since 1970-01-01 UTC.
    let made: UInt64
    let salt: [UInt8]
    let sealed: [UInt8]

    /// Wraps a vault's recovery key, and the keys for finding and checking items.
    init(
        _ code: RecoveryCode, recoveryKey: X25519.PrivateKey, keys: VaultKeys, vault: VaultID, made: UInt64
    ) throws(CryptographyError) {
        self.vault = vault
        self.made = made
        salt = try Random.bytes(Self.saltCount)
        let content = try SecretBytes.concatenating([
            recoveryKey.rawRepresentation, keys.index, keys.metadata, keys.integrity, keys.classMAC,
        ])
        sealed = try AESGCM.seal(
            content, key: Self.key(code, salt, vault, made), associatedData: Self.bound(salt, vault, made))
    }

    /// The same for a key that was released, if it is the one that this keybag's items can be restored by.
    ///
    /// - Throws: `.damaged` if it is another vault's.
    init(
        _ code: RecoveryCode, _ released: SecretBytes, of keybag: Keybag, keys: VaultKeys, vault: VaultID, made: UInt64
    ) throws(VaultError) {
        let wrap: RecoveryWrap? = try cryptography { () throws(CryptographyError) in
            let key = try X25519.PrivateKey(rawRepresentation: released)
            // A code for another key would restore nothing on the day it is needed.
            guard key.publicKey == keybag.publicKey(of: .recovery) else { return nil }
            return try RecoveryWrap(code, recoveryKey: key, keys: keys, vault: vault, made: made)
        }
        guard let wrap else { throw .damaged("its recovery key belongs to another vault") }
        self = wrap
    }

    var encoded: [UInt8] { vault.bytes + BigEndian.bytes(made) + salt + sealed }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the recovery row")
        guard let vault = VaultID(bytes: try reader.bytes(16)) else { throw .damaged("the recovery row has no vault") }
        self.vault = vault
        made = try reader.integer()
        salt = try reader.bytes(Self.saltCount)
        sealed = try reader.bytes(Self.sealedCount)
        try reader.end()
    }

    /// - Throws: `.authenticationFailed` for a wrong code.
    func open(_ code: RecoveryCode) throws(CryptographyError) -> (recoveryKey: X25519.PrivateKey, keys: VaultKeys) {
        let content = try AESGCM.open(
            sealed, key: Self.key(code, salt, vault, made), associatedData: Self.bound(salt, vault, made))
        func part(_ index: Int) throws(CryptographyError) -> SecretBytes {
            try content.slice(index * Self.keyCount..<(index + 1) * Self.keyCount)
        }
        return (
            try X25519.PrivateKey(rawRepresentation: part(0)),
            try VaultKeys(index: part(1), metadata: part(2), integrity: part(3), classMAC: part(4))
        )
    }

    private static func key(
        _ code: RecoveryCode, _ salt: [UInt8], _ vault: VaultID, _ made: UInt64
    ) throws(CryptographyError) -> SecretBytes {
        let info = FormatContext(vault: vault).bind("org.coffer.recovery.wrap", BigEndian.bytes(made))
        return try HKDF.derive(code.secret, salt: salt, info: info, count: AESGCM.keyCount)
    }

    private static func bound(_ salt: [UInt8], _ vault: VaultID, _ made: UInt64) -> [UInt8] {
        FormatContext(vault: vault).bind("org.coffer.recovery", BigEndian.bytes(made), salt)
    }
}

/// A recovery code that was made but is not valid yet. The vault's file has nothing of it.
public struct UnconfirmedRecovery: Sendable {
    let wrap: RecoveryWrap
}
