import Authorization
import Cryptography
import Recovery

/// A recovery code that was made but is not valid yet. The vault's file has nothing of it.
public struct UnconfirmedRecovery: Sendable {
    let wrap: RecoveryWrap
}

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
        let made = now()
        let wrap: RecoveryWrap? = try cryptography { () throws(CryptographyError) in
            let key = try X25519.PrivateKey(rawRepresentation: recoveryKey)
            // A code for another key would restore nothing on the day it is needed.
            guard key.publicKey == keybag.publicKey(of: .recovery) else { return nil }
            return try RecoveryWrap(code, recoveryKey: key, keys: keys, vault: record.vault, made: made)
        }
        guard let wrap else { throw .damaged("its recovery key belongs to another vault") }
        return UnconfirmedRecovery(wrap: wrap)
    }

    /// Makes a code the valid one. An earlier code opens nothing of this file from then on.
    ///
    /// - Returns: when the code was made, in milliseconds since 1970-01-01 UTC.
    /// - Throws: `.damaged`, `.storage`.
    @discardableResult
    public func confirm(_ recovery: UnconfirmedRecovery) throws(VaultError) -> UInt64 {
        try write { (change) throws(VaultError) in try change.put(recovery.wrap) }
        return recovery.wrap.made
    }
}

extension Snapshot {
    /// The recovery row, authenticated by the tree; nil if the tree proves that there is none.
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
        // An earlier code, lost or seen by others, must not become valid again with an older file.
        try moveEpoch()
    }
}

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
