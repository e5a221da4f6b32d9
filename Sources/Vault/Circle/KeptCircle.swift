import Authorization
import Cryptography

/// What a vault has made of its circle's rows: who is in it, which records count, and the merged state. It is a function
/// of the rows and of the keys at hand, so the same rows and keys need it only once.
///
/// It has no key. Each caller brings the class keys, so it holds no more than a locked vault can read.
struct KeptCircle: Sendable {
    let material: CircleMaterial
    /// Without keys.
    private let bare: CircleView
    /// The public halves of the keys that the view was made with.
    private let receivers: [[UInt8]?]
    /// The digest of the rows that it was made of.
    private let rows: [UInt8]
    /// Roughly what it takes, in bytes.
    let cost: Int

    init(_ rows: [FoundCircleRow], _ material: CircleMaterial, _ view: CircleView) throws(VaultError) {
        (self.material, bare, receivers) = (material, view.withoutKeys, view.receivers)
        self.rows = try Self.digest(of: rows)
        // A segment is there as a whole, as records, and as what they seal. A change is in the state several times.
        let segments = material.segments.reduce(0) { $0 + $1.count }
        let pending = material.pending.reduce(0) { $0 + ($1.change.carried.value?.sealed.count ?? 0) + 600 }
        cost = 3 * segments + pending + 700 * view.state.changeCount
    }

    /// Whether these rows are those that it was made of. The caller has checked each of them.
    func isMade(of rows: [FoundCircleRow]) throws(VaultError) -> Bool { try Self.digest(of: rows) == self.rows }

    /// - Returns: nil if it was made with other keys. Then another view comes of it.
    func view(_ classKeys: ClassKeys, in vault: VaultID) throws(VaultError) -> CircleView? {
        let keys = try ReceivingKeys(classKeys, vault: vault, material.device.keys.random)
        return keys.publicHalves == receivers ? try bare.with(keys) : nil
    }

    private static func digest(of rows: [FoundCircleRow]) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in try SHA256.digest(rows.flatMap(\.digest)) }
    }
}
