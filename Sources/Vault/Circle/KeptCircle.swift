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
        // Of each record, some places are there, and all that it says. What has gone is in the file alone, and of a record of
        // changes the changes are there. Each of them is in the state several times.
        let segments = material.segments.reduce(0) { $0 + 300 + 600 * $1.records.count }
        let inFile = Set(view.pasts.values.joined().map(\.record)).union(view.places.values)
        let said = view.streams.values.reduce(0) { sum, stream in
            stream.counted.reduce(sum) { inFile.contains($1.record) ? $0 : $0 + $1.record.count }
        }
        let changes = 500 * view.state.changeCount + view.state.changeBytes + 4 * view.state.listedIDCount
        let pending = material.pending.reduce(0) { $0 + ($1.change.carried.value?.sealed.count ?? 0) + 600 }
        cost = segments + said + pending + changes
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
