import Authorization
import Cryptography

/// One way to get an item's key: the public keys to agree with, and the key wrapped under the shared secrets
/// (docs/vault-format.md, "slot").
struct Slot: Sendable, Equatable {
    /// The part of a slot that depends only on the access control.
    struct Shape: Sendable, Equatable {
        let number: UInt8
        let keyClass: KeyClass
        let constraints: ConstraintSet
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
        for constraints in access.alternatives {
            shapes.append(Shape(number: UInt8(shapes.count), keyClass: keyClass, constraints: constraints))
        }
        if !access.thisDeviceOnly {
            shapes.append(Shape(number: UInt8(shapes.count), keyClass: .recovery, constraints: []))
        }
        return shapes
    }

    /// All bytes before the wrapped key.
    var prefix: [UInt8] {
        [shape.number, shape.keyClass.kind.rawValue, shape.keyClass.isThisDeviceOnly ? 1 : 0]
            + BigEndian.bytes(shape.constraints.rawValue) + ephemeral + points.flatMap(\.self) + salt
    }

    var encoded: [UInt8] { prefix + wrappedKey }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "a slot")
        let number: UInt8 = try reader.integer()
        guard let kind = KeyClass.Kind(rawValue: try reader.integer()) else {
            throw .damaged("a slot has an unknown class")
        }
        let scope: UInt8 = try reader.integer()
        let constraints = ConstraintSet(rawValue: try reader.integer())
        guard scope <= 1, constraints.isSubset(of: .all) else {
            throw .damaged("a slot has an unknown scope or requirement")
        }
        shape = Shape(
            number: number, keyClass: KeyClass(kind: kind, isThisDeviceOnly: scope == 1), constraints: constraints)
        ephemeral = try reader.bytes(X25519.count)
        var points: [[UInt8]] = []
        for _ in constraints.roles { points.append(try reader.bytes(P256.pointCount)) }
        self.points = points
        salt = constraints.contains(.applicationPassword) ? try reader.bytes(Self.saltCount) : []
        wrappedKey = try reader.bytes(Self.wrappedCount)
        try reader.end()
    }
}
