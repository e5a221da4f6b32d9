import Authorization
import Circle
import Cryptography

/// What a row of the table `circle` is about. Its bytes are the row's id (docs/vault-format.md, "circle").
enum CircleRow: Hashable, Sendable {
    /// The vault's own device.
    case device
    /// A request to join that was not answered yet.
    case joining
    /// The local items that the circle has, too.
    case shared
    /// A signed statement that an answer to a request has brought.
    case statement(StatementName)
    /// The private halves of a generation that an answer has brought.
    case halves(StatementName)
    /// A segment, by its device, run and first number, and by the first bytes of its own hash.
    case segment(WriterID, RunID, UInt64, [UInt8])
    /// A signed head, by its device, run and chain hash.
    case head(WriterID, RunID, ChainHash)
    /// A change of this vault that was not given out yet, in the order of these numbers.
    case pending(UInt64)
    /// The request of a device that this vault's person has agreed to add.
    case answered(WriterID)
    /// The slots that a guarded value has for other machines, until they are said to the circle, by its revision.
    case offered(RevisionID)
    /// The keys of the other machines that guarded values are sealed for.
    case receivers
    /// Slots that were added to a value after it was given out, by the change that gave it.
    case released(RevisionName)
    /// The keys that a renewed vault will have in its circle, while it is made.
    case succession

    /// How much of a segment's hash its id has.
    static let hashCount = 8

    var id: [UInt8] {
        switch self {
        case .device: [1]
        case .joining: [2]
        case .shared: [3]
        case .statement(let name): [4] + name.bytes
        case .halves(let name): [5] + name.bytes
        case .segment(let device, let run, let number, let hash):
            [6] + device.bytes + run.bytes + BigEndian.bytes(number) + hash
        case .head(let device, let run, let chain): [7] + device.bytes + run.bytes + chain.bytes
        case .pending(let number): [8] + BigEndian.bytes(number)
        case .answered(let device): [9] + device.bytes
        case .offered(let revision): [10] + revision.bytes
        case .receivers: [11]
        case .released(let change): [12] + change.bytes
        case .succession: [13]
        }
    }

    /// - Throws: `.damaged` for an id of no row.
    init(id bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "a row of the circle")
        let row: CircleRow?
        switch try reader.integer(UInt8.self) {
        case 1: row = .device
        case 2: row = .joining
        case 3: row = .shared
        case 4: row = StatementName(bytes: try reader.bytes(StatementName.count)).map { .statement($0) }
        case 5: row = StatementName(bytes: try reader.bytes(StatementName.count)).map { .halves($0) }
        case 6:
            let (device, run) = (try Self.device(&reader), try Self.run(&reader))
            row = .segment(device, run, try reader.integer(), try reader.bytes(Self.hashCount))
        case 7:
            let (device, run) = (try Self.device(&reader), try Self.run(&reader))
            row = ChainHash(bytes: try reader.bytes(ChainHash.count)).map { .head(device, run, $0) }
        case 8: row = .pending(try reader.integer())
        case 9: row = .answered(try Self.device(&reader))
        case 10: row = RevisionID(bytes: try reader.bytes(RevisionID.count)).map { .offered($0) }
        case 11: row = .receivers
        case 12: row = RevisionName(digest: try reader.bytes(SHA256.count)).map { .released($0) }
        case 13: row = .succession
        default: row = nil
        }
        try reader.end()
        guard let row else { throw .damaged("a row of the circle has an unknown id") }
        self = row
    }

    private static func device(_ reader: inout ByteReader) throws(VaultError) -> WriterID {
        guard let device = WriterID(bytes: try reader.bytes(SharedItemID.count)) else {
            throw .damaged("a row of the circle has no device")
        }
        return device
    }

    private static func run(_ reader: inout ByteReader) throws(VaultError) -> RunID {
        guard let run = RunID(bytes: try reader.bytes(RunID.count)) else {
            throw .damaged("a row of the circle has no run")
        }
        return run
    }

    /// - Throws: `.damaged` if the library that hashes has failed.
    static func segment(_ segment: RecordSegment) throws(VaultError) -> CircleRow {
        let hash = try cryptography { () throws(CryptographyError) in try SHA256.digest(segment.bytes) }
        return .segment(
            segment.device, segment.run, segment.records[0].header.number, Array(hash.prefix(hashCount)))
    }

    /// The row of a segment.
    static func segment(_ segment: KnownSegment) -> CircleRow {
        .segment(segment.device, segment.run, segment.number, Array(segment.digest.bytes.prefix(hashCount)))
    }

    /// The row of the segment that has a record.
    static func segment(of record: KnownRecord) -> CircleRow {
        .segment(
            record.header.device, record.header.run, record.first, Array(record.file.bytes.prefix(hashCount)))
    }
}

/// A row that the tree has authenticated. The digest is of its id and its content.
typealias FoundCircleRow = (row: CircleRow, content: [UInt8], digest: [UInt8])

extension Snapshot {
    /// - Returns: nil if the tree proves that there is no such row.
    func circle(_ row: CircleRow) throws(VaultError) -> [UInt8]? {
        let bytes = try rows.hasCircle() ? rows.circle(row.id) : nil
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (
                try TreeEntry.key(circle: row.id),
                try bytes.map { (bytes) throws(CryptographyError) in
                    try TreeEntry.digest(circle: row.id, content: bytes)
                }
            )
        }
        guard try tree.digest(of: key) == digest else {
            throw .damaged("a row of the circle is missing, foreign or changed")
        }
        return bytes
    }

    /// The bytes of a segment that has a row.
    func circle(_ segment: KnownSegment) throws(VaultError) -> [UInt8] {
        guard let bytes = try circle(.segment(segment)) else { throw .damaged("a row of the circle is missing") }
        return bytes
    }

    /// Gives away all rows, one by one, in the order of their ids. The tree has authenticated each of them. Whether one is
    /// missing is known from their number, which the device's row has.
    func forEachCircleRow(_ body: (FoundCircleRow) throws(VaultError) -> Void) throws(VaultError) {
        guard try rows.hasCircle() else { return }
        var last: [UInt8] = []
        try rows.forEachOfCircle { (id, content) throws(VaultError) in
            let row = try CircleRow(id: id)
            let (key, digest) = try cryptography { () throws(CryptographyError) in
                (try TreeEntry.key(circle: id), try TreeEntry.digest(circle: id, content: content))
            }
            guard try tree.digest(of: key) == digest else {
                throw .damaged("a row of the circle is foreign or changed")
            }
            // Equal ids follow each other.
            guard id != last else { throw .damaged("a row of the circle is there twice") }
            last = id
            try body((row, content, digest))
        }
    }

    /// All rows, in the order of their ids.
    func circleRows() throws(VaultError) -> [FoundCircleRow] {
        var found: [FoundCircleRow] = []
        try forEachCircleRow { found.append($0) }
        return found
    }

    /// The digests of all rows, in the order of their ids.
    func circleDigests() throws(VaultError) -> [[UInt8]] {
        var digests: [[UInt8]] = []
        try forEachCircleRow { digests.append($0.digest) }
        return digests
    }
}

extension Change {
    /// Writes a row of the circle. Each exchange puts rows that are as they were: these are not written, and nobody is told.
    ///
    /// - Parameter content: empty removes the row.
    func put(_ row: CircleRow, _ content: [UInt8]) throws(VaultError) {
        if !hasCircleTable, try !rows.hasCircle() { try rows.createCircle() }
        hasCircleTable = true
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            (
                try TreeEntry.key(circle: row.id),
                content.isEmpty ? nil : try TreeEntry.digest(circle: row.id, content: content)
            )
        }
        guard try tree.digest(of: key) != digest else { return }
        hasChangedCircle = true
        try rows.put(circle: row.id, content)
        try tree.set(key, digest)
    }

    /// Removes all rows of the circle, and their table.
    func removeCircle() throws(VaultError) {
        hasChangedCircle = true
        for one in try circleRows() {
            try tree.set(cryptography { () throws(CryptographyError) in try TreeEntry.key(circle: one.row.id) }, nil)
        }
        if try rows.hasCircle() { try rows.dropCircle() }
        hasCircleTable = false
    }
}
