import Authorization
import Circle
import Cryptography

/// A vault's own device in its circle, as the row `device` has it (docs/vault-format.md, "circle").
struct CircleDevice: Sendable, Equatable {
    let circle: StatementName
    let keys: MemberKeys
    /// What signs heads, and what signs statements. Only the sealer can use them.
    let signingKeys: CircleSigningKeys
    let profile: DeviceProfile
    /// The end of the stream; nil before its first record.
    var end: RunEnd?
    /// Where the run of `end` began.
    var predecessor: RunEnd?
    /// The number of all rows of the circle, this one included.
    var rowCount: UInt32

    var id: WriterID { keys.device }

    private static let version: UInt16 = 1

    var encoded: [UInt8] {
        BigEndian.bytes(Self.version) + circle.bytes + keys.bytes + signingKeys.encoded
            + LengthPrefixed.encode(profile.bytes) + Self.encode(end) + Self.encode(predecessor)
            + BigEndian.bytes(rowCount)
    }

    init(
        circle: StatementName, keys: MemberKeys, signingKeys: CircleSigningKeys, profile: DeviceProfile
    ) {
        (self.circle, self.keys, self.signingKeys, self.profile) = (circle, keys, signingKeys, profile)
        (end, predecessor, rowCount) = (nil, nil, 0)
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the device of the circle")
        guard try reader.integer(UInt16.self) == Self.version,
            let circle = StatementName(bytes: try reader.bytes(StatementName.count))
        else { throw .damaged("the device of the circle is of another version") }
        self.circle = circle
        keys = try Self.form(MemberKeys(bytes: reader.bytes(MemberKeys.count)))
        signingKeys = try CircleSigningKeys(&reader)
        profile = try Self.form(DeviceProfile(decoding: reader.prefixed()))
        end = try Self.end(&reader)
        predecessor = try Self.end(&reader)
        rowCount = try reader.integer()
        try reader.end()
    }

    private static func encode(_ end: RunEnd?) -> [UInt8] { end.map { [1] + $0.bytes } ?? [0] }

    private static func end(_ reader: inout ByteReader) throws(VaultError) -> RunEnd? {
        guard try reader.integer(UInt8.self) == 1 else { return nil }
        guard let run = RunID(bytes: try reader.bytes(RunID.count)) else { throw unknown }
        let number = try reader.integer(UInt64.self)
        guard let chain = ChainHash(bytes: try reader.bytes(ChainHash.count)),
            let end = RunEnd(run: run, number: number, chain: chain)
        else { throw unknown }
        return end
    }

    private static let unknown = VaultError.damaged("the device of the circle is unreadable")

    private static func form<Value>(_ read: @autoclosure () throws -> Value) throws(VaultError) -> Value {
        do { return try read() } catch { throw .damaged("the device of the circle is unreadable", cause: error) }
    }
}

/// The keys with which a device signs, as the sealer has made them.
package struct CircleSigningKeys: Sendable, Equatable {
    /// Signs heads, and asks nobody.
    package let stream: SealedObject
    /// Signs statements, each with the authenticator's signature.
    package let membership: SealedObject

    package init(stream: SealedObject, membership: SealedObject) {
        (self.stream, self.membership) = (stream, membership)
    }

    var encoded: [UInt8] {
        LengthPrefixed.encode([stream.public, stream.private, membership.public, membership.private])
    }

    init(_ reader: inout ByteReader) throws(VaultError) {
        stream = SealedObject(role: .streamKey, public: try reader.prefixed(), private: try reader.prefixed())
        membership = SealedObject(role: .membershipKey, public: try reader.prefixed(), private: try reader.prefixed())
    }
}

/// A request to join that this vault has made and that was not answered yet, as the row `joining` has it.
struct CircleJoining: Sendable, Equatable {
    let request: JoinRequest
    let signingKeys: CircleSigningKeys

    var encoded: [UInt8] { LengthPrefixed.encode(request.bytes) + signingKeys.encoded }

    init(request: JoinRequest, signingKeys: CircleSigningKeys) {
        (self.request, self.signingKeys) = (request, signingKeys)
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the request to join")
        let request = try reader.prefixed()
        do throws(CircleFormError) { self.request = try JoinRequest(decoding: request) } catch {
            throw .damaged("the request to join is unreadable", cause: error)
        }
        signingKeys = try CircleSigningKeys(&reader)
        try reader.end()
    }
}

/// The passwords of a device's keys. Each comes from a key that the vault has at that time, so none is stored.
enum CirclePasswords {
    /// Of the stream key, for a vault whose device root is known.
    static func stream(_ keys: VaultKeys, vault: VaultID, _ random: [UInt8]) throws(CryptographyError) -> SecretBytes {
        try derive(keys.integrity, vault, "org.coffer.key.stream", random)
    }

    /// Of the membership key, for a vault that is unlocked: it comes from a class key.
    static func membership(
        _ classKeys: ClassKeys, vault: VaultID, _ random: [UInt8]
    ) throws(VaultError) -> SecretBytes {
        let key = try classKeys.unlocked()
        return try cryptography { () throws(CryptographyError) in
            try derive(key.rawRepresentation, vault, "org.coffer.key.membership", random)
        }
    }

    /// The private half of a request's one-time key.
    static func oneTimeKey(
        _ classKeys: ClassKeys, vault: VaultID, _ random: [UInt8]
    ) throws(VaultError) -> X25519.PrivateKey {
        let key = try classKeys.unlocked()
        return try cryptography { () throws(CryptographyError) in
            try X25519.PrivateKey(
                rawRepresentation: derive(key.rawRepresentation, vault, "org.coffer.key.one-time", random))
        }
    }

    /// - Parameter random: the random bytes of the device's keys, so that each circle has its own.
    static func derive(
        _ key: SecretBytes, _ vault: VaultID, _ name: String, _ random: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(key, salt: vault.bytes + random, info: Array(name.utf8), count: 32)
    }
}

/// What others seal private halves to: a key for each class, made from the vault's own class key and the device's random
/// bytes. So each circle, and each time that the vault enters one, has keys of its own.
struct ReceivingKeys: Sendable {
    /// For when-unlocked, after-first-unlock and always. nil while the class key is missing.
    let keys: [X25519.PrivateKey?]

    init(_ classKeys: ClassKeys, vault: VaultID, _ random: [UInt8]) throws(VaultError) {
        keys = try KeyClass.receiving.map { (keyClass) throws(VaultError) -> X25519.PrivateKey? in
            guard let key = classKeys[keyClass] else { return nil }
            return try cryptography { () throws(CryptographyError) in
                try X25519.PrivateKey(
                    rawRepresentation: CirclePasswords.derive(
                        key.rawRepresentation, vault, "org.coffer.key.receiving", random))
            }
        }
    }

    /// The public half of each that is there.
    var publicHalves: [[UInt8]?] { keys.map { $0?.publicKey } }

    private init() { keys = [] }

    /// Those of a circle's paper.
    init(_ paper: PaperKeys) { keys = paper.receiving }

    /// Not one key.
    static let none = ReceivingKeys()

    /// The key that slots of this class are made for; nil while it is missing, and for a class that does not travel.
    subscript(keyClass: KeyClass) -> X25519.PrivateKey? {
        KeyClass.receiving.firstIndex { $0.kind == keyClass.kind && keyClass.kind != .always }.flatMap { keys[$0] }
    }

    /// The public halves, 96 bytes.
    ///
    /// - Throws: `.locked` if one is missing.
    func publicKeys() throws(VaultError) -> [UInt8] {
        var bytes: [UInt8] = []
        for key in keys {
            guard let key else {
                throw .vaultIsLocked
            }
            bytes += key.publicKey
        }
        return bytes
    }
}

extension ClassKeys {
    /// The key that is there while the vault is unlocked, and only on this device.
    ///
    /// - Throws: `.locked`.
    func unlocked() throws(VaultError) -> X25519.PrivateKey {
        guard let key = self[.unlockedHere] else {
            throw .vaultIsLocked
        }
        return key
    }
}

extension KeyClass {
    /// The classes of this device alone, which receiving keys are made from.
    static let unlockedHere = KeyClass(kind: .whenUnlocked, isThisDeviceOnly: true)
    static let firstUnlockedHere = KeyClass(kind: .afterFirstUnlock, isThisDeviceOnly: true)
    static let receiving = [unlockedHere, firstUnlockedHere, always]
}
