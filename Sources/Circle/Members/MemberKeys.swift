import Authorization
import Cryptography
import Item

/// What a device may do in a circle.
package enum MemberRole: UInt8, Sendable {
    /// Reads. Its changes do not count.
    case reader = 1
    /// Reads and changes items.
    case writer = 2
    /// Besides that, adds and removes devices.
    case admin = 3
    /// No machine: a code on paper. It reads, and nothing that it signs counts.
    case paper = 4

    /// Whether its changes count.
    package var mayWrite: Bool { self == .writer || self == .admin }

    /// Grows with what a device may do.
    var power: UInt8 { self == .paper ? 0 : rawValue }
}

/// The public keys of one device in one circle (docs/sync-members.md, “Devices”). The device's id is their hash, so
/// nobody can show other keys under it.
package struct MemberKeys: Hashable, Sendable {
    /// The length in bytes: two points, three X25519 keys, three points more, and 32 random bytes.
    package static let count = 2 * P256.pointCount + receivingCount + guards.count * P256.pointCount + 32
    private static let receivingCount = 3 * 32

    /// The requirements whose keys other machines can seal to, in the order of their points.
    package static let guards: [AccessControl.Requirement] = [.userPresence, .biometryAny, .devicePasscode]
    /// What stands for a key that the vault lacks.
    package static let noPoint = [UInt8](repeating: 0, count: P256.pointCount)

    package let bytes: [UInt8]
    /// The first 16 bytes of the keys' SHA-256.
    package let device: WriterID

    /// - Throws: `.length` unless there are 453 bytes, `.hash`.
    package init(bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count == Self.count else { throw .length }
        let digest = try StatementName(hashing: LengthPrefixed.encode(Array("org.coffer.circle.device".utf8)) + bytes)
            .bytes
        guard let device = WriterID(bytes: Array(digest.prefix(SharedItemID.count))) else { throw .length }
        self.bytes = bytes
        self.device = device
    }

    /// Signs statements: a P-256 point of 65 bytes.
    package var membership: [UInt8] { Array(bytes[0..<P256.pointCount]) }
    /// Signs heads: a P-256 point of 65 bytes.
    package var stream: [UInt8] { Array(bytes[P256.pointCount..<2 * P256.pointCount]) }

    /// What others seal private halves to: three X25519 keys of 32 bytes, for when-unlocked, after-first-unlock, always.
    package var receiving: [[UInt8]] {
        let start = 2 * P256.pointCount
        return (0..<3).map { Array(bytes[(start + 32 * $0)..<(start + 32 * ($0 + 1))]) }
    }

    /// The key that demands this of the device's person before it agrees: a P-256 point of 65 bytes.
    ///
    /// - Returns: nil for a requirement that is met in another way, and for a key that the device lacks.
    package func point(of requirement: AccessControl.Requirement) -> [UInt8]? {
        guard let place = Self.guards.firstIndex(of: requirement) else { return nil }
        let start = 2 * P256.pointCount + Self.receivingCount + place * P256.pointCount
        let point = Array(bytes[start..<start + P256.pointCount])
        return point == Self.noPoint ? nil : point
    }

    /// The random bytes, fresh for each circle.
    package var random: [UInt8] { Array(bytes.suffix(32)) }

    /// Each public key that is new in each circle: membership, stream, and the three X25519 keys.
    var each: [[UInt8]] { [membership, stream] + receiving }
}
