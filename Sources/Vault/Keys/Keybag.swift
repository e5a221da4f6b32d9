import Authorization
import Cryptography

/// A vault's class keys: public keys for writing, sealed private keys for reading (docs/vault-format.md, "keybag").
struct Keybag: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let keyClass: KeyClass
        /// X25519, 32 bytes.
        let publicKey: [UInt8]
        /// Empty if the private key is kept elsewhere.
        let sealedPrivateKey: [UInt8]
        let mac: [UInt8]
    }

    let entries: [Entry]

    /// Whether items of class `passcode-set` can be stored.
    var isBound: Bool { entries.contains { $0.keyClass == .passcodeSet } }

    /// The keys of a new vault.
    init(
        keys: VaultKeys, unlockRoot: SecretBytes, recoveryPublicKey: [UInt8], isBound: Bool = false,
        _ format: FormatContext
    ) throws(CryptographyError) {
        try self.init(
            isBound ? KeyClass.ofBoundVault : KeyClass.ofNewVault, present: ClassKeys([:]), keys: keys,
            unlockRoot: unlockRoot,
            recoveryPublicKey: recoveryPublicKey, format)
    }

    /// The same keys under another unlock root. Makes the key that only bound vaults have if it is missing, or leaves
    /// it out when the binding ends.
    func resealed(
        _ present: ClassKeys, under unlockRoot: SecretBytes, isBound: Bool, keys: VaultKeys, _ format: FormatContext
    ) throws(CryptographyError) -> Keybag {
        try Keybag(
            isBound ? KeyClass.ofBoundVault : KeyClass.ofNewVault, present: present, keys: keys,
            unlockRoot: unlockRoot, recoveryPublicKey: publicKey(of: .recovery) ?? [], format)
    }

    private init(
        _ classes: [KeyClass], present: ClassKeys, keys: VaultKeys, unlockRoot: SecretBytes,
        recoveryPublicKey: [UInt8], _ format: FormatContext
    ) throws(CryptographyError) {
        let keybagKey = try VaultKeys.keybag(unlockRoot: unlockRoot, vault: format.vault)
        var entries: [Entry] = []
        for keyClass in classes {
            let publicKey: [UInt8]
            var sealed: [UInt8] = []
            switch keyClass {
            case .always: publicKey = keys.always.publicKey
            case .recovery: publicKey = recoveryPublicKey
            default:
                let key = if let key = present[keyClass] { key } else { try X25519.PrivateKey.generate() }
                publicKey = key.publicKey
                sealed = try AESGCM.seal(
                    key.rawRepresentation, key: keybagKey,
                    associatedData: format.bind("org.coffer.keybag", keyClass.encoded, publicKey))
            }
            let mac = try HMACSHA256.code(
                for: format.bind("org.coffer.class", keyClass.encoded, publicKey), key: keys.classMAC)
            entries.append(Entry(keyClass: keyClass, publicKey: publicKey, sealedPrivateKey: sealed, mac: mac))
        }
        self.entries = entries
    }

    var encoded: [UInt8] {
        entries.reduce(into: [UInt8(entries.count)]) { bytes, entry in
            bytes +=
                entry.keyClass.encoded + entry.publicKey + LengthPrefixed.encode(entry.sealedPrivateKey) + entry.mac
        }
    }

    /// Parses a keybag and checks the MAC of every public key.
    ///
    /// - Throws: `.damaged`.
    init(decoding bytes: [UInt8], keys: VaultKeys, _ format: FormatContext) throws(VaultError) {
        var reader = ByteReader(bytes, "the keybag")
        var entries: [Entry] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            guard let kind = KeyClass.Kind(rawValue: try reader.integer()) else {
                throw .damaged("the keybag has an unknown class")
            }
            let scope: UInt8 = try reader.integer()
            let entry = Entry(
                keyClass: KeyClass(kind: kind, isThisDeviceOnly: scope == 1), publicKey: try reader.bytes(X25519.count),
                sealedPrivateKey: try reader.prefixed(), mac: try reader.bytes(HMACSHA256.count))
            let message = format.bind("org.coffer.class", entry.keyClass.encoded, entry.publicKey)
            let isOurs: Bool
            do throws(CryptographyError) {
                isOurs = try HMACSHA256.isValid(entry.mac, for: message, key: keys.classMAC)
            } catch { throw VaultError(error) }
            guard isOurs, scope <= 1 else { throw .damaged("a public key of the keybag is not this vault's") }
            entries.append(entry)
        }
        try reader.end()
        let classes = entries.map(\.keyClass)
        guard classes == KeyClass.ofNewVault || classes == KeyClass.ofBoundVault else {
            throw .damaged("the keybag lacks a key")
        }
        self.entries = entries
    }

    func publicKey(of keyClass: KeyClass) -> [UInt8]? {
        entries.first { $0.keyClass == keyClass }?.publicKey
    }

    /// Opens the private keys.
    ///
    /// - Throws: `.damaged` if a private key does not open or does not match its public key.
    func open(unlockRoot: SecretBytes, keys: VaultKeys, _ format: FormatContext) throws(VaultError) -> ClassKeys {
        var opened = [KeyClass.always: keys.always]
        do throws(CryptographyError) {
            let keybagKey = try VaultKeys.keybag(unlockRoot: unlockRoot, vault: format.vault)
            for entry in entries where entry.keyClass.isUnlockable {
                let raw = try AESGCM.open(
                    entry.sealedPrivateKey, key: keybagKey,
                    associatedData: format.bind("org.coffer.keybag", entry.keyClass.encoded, entry.publicKey))
                let key = try X25519.PrivateKey(rawRepresentation: raw)
                guard key.publicKey == entry.publicKey else {
                    throw CryptographyError(code: .authenticationFailed, reason: "the halves do not belong together")
                }
                opened[entry.keyClass] = key
            }
        } catch {
            if error.code == .authenticationFailed { throw .damaged("a key of the keybag does not open", cause: error) }
            throw VaultError(error)
        }
        return ClassKeys(opened)
    }
}
