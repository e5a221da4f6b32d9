import Circle
import Cryptography

/// The bytes of a circle's records: of the files that came in just now, and of those that are rows already. All of them
/// together can be more than a broker should have in memory.
///
/// `@unchecked Sendable`: its rows can be read while their transaction goes on, and only who has the database's turn has that.
final class SegmentFiles: @unchecked Sendable {
    private let arrived: [FileDigest: [UInt8]]
    /// nil once the transaction has ended. Whoever reads then gets an error.
    private weak var snapshot: Snapshot?
    /// The file that was read last. Records are mostly read one after the other.
    private var last: (digest: FileDigest, bytes: [UInt8])?

    /// - Parameters:
    ///   - arrived: files that are no rows yet.
    ///   - snapshot: has the others; nil if there are no others.
    init(_ arrived: [FileDigest: [UInt8]], in snapshot: Snapshot?) {
        (self.arrived, self.snapshot) = (arrived, snapshot)
    }

    /// No files at all.
    static var none: SegmentFiles { SegmentFiles([:], in: nil) }

    /// A record, as it was when it was read first.
    ///
    /// - Throws: `.damaged` if something else is in its place; `.storage`.
    func record(_ known: KnownRecord) throws(VaultError) -> CircleRecord {
        let file = try bytes(of: known)
        do throws(CircleFormError) { return try known.record(in: file) } catch {
            throw .damaged("a row of the circle has changed", cause: error)
        }
    }

    private func bytes(of known: KnownRecord) throws(VaultError) -> [UInt8] {
        if let bytes = arrived[known.file] { return bytes }
        if let last, last.digest == known.file { return last.bytes }
        guard let snapshot else { throw VaultError(.storage, "a record of the circle is read after its transaction") }
        guard let bytes = try snapshot.rows.circle(CircleRow.segment(of: known).id) else {
            throw .damaged("a row of the circle is missing")
        }
        last = (known.file, bytes)
        return bytes
    }
}
