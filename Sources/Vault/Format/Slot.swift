import Authorization
import Cryptography
import Item

/// One way to get an item's key: the public keys to agree with, and the key wrapped under the shared secrets
/// (docs/vault-format.md, "slot").
struct Slot: Sendable, Equatable {
    /// The part of a slot that depends only on the access control.
    struct Shape: Sendable, Equatable {
        let number: UInt8
        let keyClass: KeyClass
        let requirements: Set<AccessControl.Requirement>
    }

    static let saltCount = 16
    static let wrappedCount = AESGCM.keyCount + AESGCM.overhead

    let shape: Shape
    /// The X25519 public key made for this slot, 32 bytes.
    let ephemeral: [UInt8]
    /// One P-256 point for each constraint that has a key, in order.
    let points: [[UInt8]]
    /// The salt of the application password; otherwise empty.
    let salt: [UInt8]
    let wrappedKey: [UInt8]

    init(shape: Shape, ephemeral: [UInt8], points: [[UInt8]], salt: [UInt8], wrappedKey: [UInt8]) {
        self.shape = shape
        self.ephemeral = ephemeral
        self.points = points
        self.salt = salt
        self.wrappedKey = wrappedKey
    }

    /// The slots of an item with this access control: one for each way of reading, and one for recovery if it may leave
    /// the device.
    static func shapes(for access: AccessControl) -> [Shape] {
        let keyClass = KeyClass(access)
        var shapes: [Shape] = []
        for way in access.ways {
            shapes.append(Shape(number: UInt8(shapes.count), keyClass: keyClass, requirements: way))
        }
        if !access.isThisDeviceOnly {
            shapes.append(Shape(number: UInt8(shapes.count), keyClass: .recovery, requirements: []))
        }
        return shapes
    }

    /// All bytes before the wrapped key.
    var prefix: [UInt8] {
        [shape.number, shape.keyClass.kind.rawValue, shape.keyClass.isThisDeviceOnly ? 1 : 0]
            + BigEndian.bytes(shape.requirements.bits) + ephemeral + points.flatMap(\.self) + salt
    }

    var encoded: [UInt8] { prefix + wrappedKey }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "a slot")
        let number: UInt8 = try reader.integer()
        guard let kind = KeyClass.Kind(rawValue: try reader.integer()) else {
            throw .damaged("a slot has an unknown class")
        }
        let scope: UInt8 = try reader.integer()
        guard scope <= 1, let requirements = Set<AccessControl.Requirement>(bits: try reader.integer()) else {
            throw .damaged("a slot has an unknown scope or requirement")
        }
        shape = Shape(
            number: number, keyClass: KeyClass(kind: kind, isThisDeviceOnly: scope == 1), requirements: requirements)
        ephemeral = try reader.bytes(X25519.count)
        var points: [[UInt8]] = []
        for _ in requirements.roles { points.append(try reader.bytes(P256.pointCount)) }
        self.points = points
        salt = requirements.contains(.applicationPassword) ? try reader.bytes(Self.saltCount) : []
        wrappedKey = try reader.bytes(Self.wrappedCount)
        try reader.end()
    }
}

/// The public keys that a slot is made for.
struct SlotRecipients: Sendable {
    /// The X25519 key of the slot's class.
    let classKey: [UInt8]
    /// The P-256 key of each constraint that has one, in order.
    let constraintKeys: [[UInt8]]
}

extension Slot {
    /// Wraps an item's key. Needs public keys only.
    static func wrap(
        _ itemKey: SecretBytes, _ shape: Shape, for recipients: SlotRecipients, password: StretchedPassword?,
        _ context: FieldContext
    ) throws(CryptographyError) -> Slot {
        let ephemeral = try X25519.PrivateKey.generate()
        var secrets = [try ephemeral.sharedSecret(with: recipients.classKey)]
        var points: [[UInt8]] = []
        for key in recipients.constraintKeys {
            let point = try P256.PrivateKey.generate()
            secrets.append(try point.sharedSecret(with: key))
            points.append(point.publicKey)
        }
        var salt: [UInt8] = []
        if shape.requirements.contains(.applicationPassword) {
            let password = try given(password)
            salt = password.salt
            secrets.append(password.key)
        }
        let open = Slot(shape: shape, ephemeral: ephemeral.publicKey, points: points, salt: salt, wrappedKey: [])
        let bound = try context.bind(open, for: recipients)
        let wrapped = try AESGCM.seal(itemKey, key: slotKey(secrets, bound), associatedData: bound)
        return Slot(shape: shape, ephemeral: ephemeral.publicKey, points: points, salt: salt, wrappedKey: wrapped)
    }

    /// Unwraps the item's key.
    ///
    /// - Parameter agreements: the shared secret of each constraint key, in order.
    /// - Throws: `.authenticationFailed` if anything differs from what was wrapped.
    func unwrap(
        classKey: X25519.PrivateKey, agreements: [SecretBytes], password: StretchedPassword?, constraintKeys: [[UInt8]],
        _ context: FieldContext
    ) throws(CryptographyError) -> SecretBytes {
        var secrets = [try classKey.sharedSecret(with: ephemeral)] + agreements
        if shape.requirements.contains(.applicationPassword) {
            secrets.append(try Self.given(password).key)
        }
        let recipients = SlotRecipients(classKey: classKey.publicKey, constraintKeys: constraintKeys)
        let bound = try context.bind(self, for: recipients)
        return try AESGCM.open(wrappedKey, key: Self.slotKey(secrets, bound), associatedData: bound)
    }

    private static func slotKey(_ secrets: [SecretBytes], _ bound: [UInt8]) throws(CryptographyError) -> SecretBytes {
        var parts: [SecretBytes] = []
        for secret in secrets {
            parts.append(try SecretBytes(copying: BigEndian.bytes(UInt32(secret.count))))
            parts.append(secret)
        }
        return try HKDF.derive(.concatenating(parts), salt: [], info: bound, count: AESGCM.keyCount)
    }

    private static func given(_ password: StretchedPassword?) throws(CryptographyError) -> StretchedPassword {
        guard let password else {
            throw CryptographyError(code: .invalidKey, reason: "an application password is needed")
        }
        return password
    }
}
