import Authorization
import Circle
import Cryptography

/// The private halves of a generation (docs/sync-members.md, “Generations”). A vault that is locked has only some.
package struct GenerationHalves: Sendable {
    /// Opens the item keys of values, by their class.
    package private(set) var classes: [ValueClass: X25519.PrivateKey] = [:]
    /// Opens records. Its raw bytes are what the records' keys are derived from.
    package let metadata: X25519.PrivateKey

    static func generate() throws(CryptographyError) -> GenerationHalves {
        GenerationHalves(
            classes: [.whenUnlocked: try .generate(), .afterFirstUnlock: try .generate()], metadata: try .generate())
    }

    private init(classes: [ValueClass: X25519.PrivateKey], metadata: X25519.PrivateKey) {
        (self.classes, self.metadata) = (classes, metadata)
    }

    /// All three, one after the other: 96 bytes.
    ///
    /// - Throws: `.locked` if one is missing.
    package func whole() throws(VaultError) -> SecretBytes {
        guard let first = classes[.whenUnlocked], let second = classes[.afterFirstUnlock] else {
            throw .vaultIsLocked
        }
        return try cryptography { () throws(CryptographyError) in
            try .concatenating([first.rawRepresentation, second.rawRepresentation, metadata.rawRepresentation])
        }
    }

    /// - Returns: nil unless there are 96 bytes.
    package init?(whole: SecretBytes) throws(CryptographyError) {
        var keys: [X25519.PrivateKey] = []
        guard whole.count == KeyGeneration.publicCount else { return nil }
        for place in 0..<3 {
            keys.append(try X25519.PrivateKey(rawRepresentation: whole.slice(place * 32..<(place + 1) * 32)))
        }
        self.init(classes: [.whenUnlocked: keys[0], .afterFirstUnlock: keys[1]], metadata: keys[2])
    }

    /// What a generation's bytes have: the three public halves, 96 bytes.
    package var publicHalves: [UInt8] {
        [classes[.whenUnlocked], classes[.afterFirstUnlock], metadata].flatMap { $0?.publicKey ?? [] }
    }

    /// Seals the halves to a receiver. Needs public keys only.
    package func sealed(to receiver: MemberKeys, in circle: StatementName) throws(VaultError) -> KeyGeneration.Receiver
    {
        var sealed: [UInt8] = []
        let halves = [classes[.whenUnlocked], classes[.afterFirstUnlock], metadata]
        for (half, key) in zip(halves, receiver.receiving) {
            guard let half else { throw .vaultIsLocked }
            sealed += try cryptography { () throws(CryptographyError) in
                let ephemeral = try X25519.PrivateKey.generate()
                let info = Self.info(circle, receiver.device, half.publicKey, key, ephemeral.publicKey)
                let sealed = try AESGCM.seal(
                    half.rawRepresentation, key: Agreement.key(ephemeral, key, info), associatedData: info)
                return ephemeral.publicKey + sealed
            }
        }
        do throws(CircleFormError) { return try KeyGeneration.Receiver(receiver.device, sealed: sealed) } catch {
            throw .impossible(error)
        }
    }

    /// Opens what was sealed to this device, as far as its receiving keys are there.
    ///
    /// - Parameter receiver: the generation's own, or what an answer has brought.
    /// - Returns: nil if somebody has sealed something else.
    init?(
        _ receiver: KeyGeneration.Receiver, of generation: KeyGeneration, by receiving: ReceivingKeys
    ) throws(CryptographyError) {
        var halves: [X25519.PrivateKey?] = []
        for (place, key) in receiving.keys.enumerated() {
            let part = Array(receiver.sealed[place * Self.partCount..<(place + 1) * Self.partCount])
            let publicHalf = Array(generation.publicHalves[place * 32..<(place + 1) * 32])
            guard let key else {
                halves.append(nil)
                continue
            }
            guard let half = try Self.open(part, publicHalf, generation.circle, receiver.device, key) else {
                return nil
            }
            halves.append(half)
        }
        guard let metadata = halves[2] else { return nil }
        self.init(classes: [:], metadata: metadata)
        classes[.whenUnlocked] = halves[0]
        classes[.afterFirstUnlock] = halves[1]
    }

    /// The bytes of one half in a receiver's part: an X25519 key, and what is sealed.
    private static let partCount = KeyGeneration.Receiver.sealedCount / 3

    private static func open(
        _ part: [UInt8], _ publicHalf: [UInt8], _ circle: StatementName, _ device: WriterID,
        _ classKey: X25519.PrivateKey
    ) throws(CryptographyError) -> X25519.PrivateKey? {
        let ephemeral = Array(part.prefix(X25519.count))
        let info = info(circle, device, publicHalf, classKey.publicKey, ephemeral)
        do throws(CryptographyError) {
            let raw = try AESGCM.open(
                Array(part.dropFirst(X25519.count)), key: Agreement.key(classKey, ephemeral, info),
                associatedData: info)
            let half = try X25519.PrivateKey(rawRepresentation: raw)
            return half.publicKey == publicHalf ? half : nil
        } catch {
            // The maker's fault, not this vault's damage.
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw error }
            return nil
        }
    }

    private static func info(
        _ circle: StatementName, _ device: WriterID, _ half: [UInt8], _ receiving: [UInt8], _ ephemeral: [UInt8]
    ) -> [UInt8] {
        LengthPrefixed.encode(
            Array("org.coffer.circle.half".utf8), circle.bytes, device.bytes, half, receiving, ephemeral)
    }
}

/// A key that two sides agree on.
package enum Agreement {
    /// `HKDF( LP(shared secret), salt = empty, info )`
    package static func key(
        _ mine: X25519.PrivateKey, _ theirs: [UInt8], _ info: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        let shared = try mine.sharedSecret(with: theirs)
        return try HKDF.derive(
            .concatenating([SecretBytes(copying: BigEndian.bytes(UInt32(shared.count))), shared]), salt: [],
            info: info, count: AESGCM.keyCount)
    }
}

extension VaultError {
    /// Something that this vault makes by itself has not the form that it must have.
    static func impossible(_ error: CircleFormError) -> VaultError {
        VaultError(.storage, "a record of the circle could not be made", cause: error)
    }
}
