import Circle
import Cryptography

/// The bytes of a circle's records: of the files that came in just now, and of those that are rows already. All of them
/// together can be more than a broker should have in memory.
///
/// `@unchecked Sendable`: its rows can be read while their transaction goes on, and only who has the database's turn has that.
final class SegmentFiles: @unchecked Sendable {
    private let arrived: [FileDigest: [UInt8]]
    /// nil once the transaction has ended. A read after it is an error.
    private weak var snapshot: Snapshot?
    /// The files that were read last, the latest one first. Records are mostly read one after the other, so it is one.
    private var last: [(digest: FileDigest, bytes: [UInt8])] = []
    /// Those that were read before, without their bytes.
    private var former: [FileDigest] = []
    /// How many files are kept. Somebody can make files whose records take turns: each that comes again adds a place.
    private var room = 1
    private static let mostRoom = 4

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
        if let found = last.first(where: { $0.digest == known.file }) { return found.bytes }
        guard let snapshot else { throw VaultError(.storage, "a record of the circle is read after its transaction") }
        guard let bytes = try snapshot.rows.circle(CircleRow.segment(of: known).id) else {
            throw .damaged("a row of the circle is missing")
        }
        if former.contains(known.file) { room = min(room + 1, Self.mostRoom) }
        last.insert((known.file, bytes), at: 0)
        former.insert(contentsOf: last.dropFirst(room).map(\.digest), at: 0)
        (last, former) = (Array(last.prefix(room)), Array(former.prefix(Self.mostRoom)))
        return bytes
    }
}
