import Authorization
import Cryptography
import Item

/// The keys derived from the device root. They suffice to find, list and write items.
struct VaultKeys: Sendable {
    let index: SecretBytes
    let metadata: SecretBytes
    let integrity: SecretBytes
    let classMAC: SecretBytes
    /// The key of the access log's chain.
    let log: SecretBytes
    /// The password of the TPM counter that the epoch is compared with.
    let counter: SecretBytes
    let always: X25519.PrivateKey

    init(deviceRoot: SecretBytes, vault: VaultID) throws(CryptographyError) {
        func derive(_ name: String) throws(CryptographyError) -> SecretBytes {
            try HKDF.derive(deviceRoot, salt: vault.bytes, info: Array("org.coffer.key.\(name)".utf8), count: 32)
        }
        index = try derive("index")
        metadata = try derive("metadata")
        integrity = try derive("integrity")
        classMAC = try derive("class-mac")
        log = try derive("log")
        counter = try Self.counterPassword(deviceRoot: deviceRoot, vault: vault)
        always = try X25519.PrivateKey(rawRepresentation: derive("always"))
    }

    /// The keys that a recovery code restores. They suffice to find, check and list items; no other key of the device
    /// root is among them.
    init(index: SecretBytes, metadata: SecretBytes, integrity: SecretBytes, classMAC: SecretBytes)
        throws(CryptographyError)
    {
        self.index = index
        self.metadata = metadata
        self.integrity = integrity
        self.classMAC = classMAC
        // Random keys stand in for the rest. The log is another file, the counter is in a TPM, and items for one device
        // only stay closed.
        log = try SecretBytes.random(count: 32)
        counter = try SecretBytes.random(count: 32)
        always = try X25519.PrivateKey.generate()
    }

    static func counterPassword(deviceRoot: SecretBytes, vault: VaultID) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(deviceRoot, salt: vault.bytes, info: Array("org.coffer.key.counter".utf8), count: 32)
    }

    /// Derives the key under which the authenticator remembers an outdated password. It comes from the integrity key, because only the device root
    /// gives that.
    func password(of vault: VaultID) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(integrity, salt: vault.bytes, info: Array("org.coffer.key.password".utf8), count: 32)
    }

    /// Derives the key that seals the private class keys from the unlock root.
    static func keybag(unlockRoot: SecretBytes, vault: VaultID) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(unlockRoot, salt: vault.bytes, info: Array("org.coffer.key.keybag".utf8), count: 32)
    }

    // The blind indexes: terms of 32 bytes. Only the index key tells what a term stands for.

    func term(service: String, account: String, kind: ItemKind) throws(CryptographyError) -> [UInt8] {
        // A generic item's term is what it was before there were kinds.
        if kind == .genericPassword { return try term("name", service, account) }
        return try term("name", service, account, kind.rawValue)
    }

    func term(service: String) throws(CryptographyError) -> [UInt8] { try term("service", service) }

    func term(attribute: String, value: String) throws(CryptographyError) -> [UInt8] {
        try term("attribute", attribute, value)
    }

    /// Leads from a point of a slot to its item, so that no two values have the same.
    func term(point: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try HMACSHA256.code(for: LengthPrefixed.encode(Array("point".utf8), point), key: index)
    }

    /// Leads to all items of the bin.
    func binTerm() throws(CryptographyError) -> [UInt8] { try term("bin") }

    /// All terms that an item is found by, but for the points of its slots.
    func terms(of metadata: Metadata, _ item: ItemID) throws(CryptographyError) -> [[UInt8]] {
        guard metadata.deleted == nil else {
            // The second term is for nobody. With it, the file shows the bin as one more service with its accounts.
            let own = LengthPrefixed.encode(Array("bin".utf8), item.bytes)
            return [try binTerm(), try HMACSHA256.code(for: own, key: index)]
        }
        var terms = [
            try term(service: metadata.service, account: metadata.account, kind: metadata.kind),
            try term(service: metadata.service),
        ]
        for (name, value) in metadata.attributes { terms.append(try term(attribute: name, value: value)) }
        if metadata.kind == .setting { terms.append(try settingsTerm()) }
        return terms
    }

    /// All settings have it, so that they can be counted without the other items.
    func settingsTerm() throws(CryptographyError) -> [UInt8] { try term("settings") }

    private func term(_ parts: String...) throws(CryptographyError) -> [UInt8] {
        try HMACSHA256.code(for: LengthPrefixed.encode(parts.map { Array($0.utf8) }), key: index)
    }
}
