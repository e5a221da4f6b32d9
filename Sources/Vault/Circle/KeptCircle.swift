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

    /// - Parameter digest: of the rows.
    init(_ digest: [UInt8], _ material: CircleMaterial, _ view: CircleView) {
        (self.material, bare, receivers) = (material, view.withoutKeys, view.receivers)
        rows = digest
        // Of a record, some places are there. A change is in the state several times.
        let segments = material.segments.reduce(0) { $0 + 300 + 600 * $1.records.count }
        let pending = material.pending.reduce(0) { $0 + ($1.change.carried.value?.sealed.count ?? 0) + 600 }
        // A name has four bytes for each id that it joins.
        cost = segments + pending + 700 * view.state.changeCount + 4 * view.state.listedIDCount
    }

    /// Whether it was made of the rows with this digest. The caller has checked each of them.
    func isMade(of digest: [UInt8]) -> Bool { digest == rows }

    /// - Returns: nil if it was made with other keys. Then another view comes of it.
    func view(_ classKeys: ClassKeys, in snapshot: Snapshot) throws(VaultError) -> CircleView? {
        let keys = try ReceivingKeys(classKeys, vault: snapshot.header.vault, material.device.keys.random)
        return keys.publicHalves == receivers ? try bare.with(keys, SegmentFiles([:], in: snapshot)) : nil
    }

    static func digest(ofRows digests: [[UInt8]]) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in try SHA256.digest(digests.flatMap(\.self)) }
    }
}
