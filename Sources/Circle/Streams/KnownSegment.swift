import Authorization
import Cryptography

/// What one has to know of a segment whose bytes are elsewhere. All segments of a large circle together are more than one
/// should have in memory.
package struct KnownSegment: Hashable, Sendable {
    package let circle: StatementName
    package let device: WriterID
    package let run: RunID
    /// What the segment says of the place where it begins. A head proves it, or nothing does.
    package let before: ChainHash
    /// At least one; their numbers go up by one.
    package let records: [KnownRecord]
    /// The length of the file in bytes.
    package let count: Int
    /// The SHA-256 of the file, which tells it from all others.
    package let digest: FileDigest

    /// - Parameter file: the segment's bytes.
    /// - Throws: `CircleFormError` for bytes that are no segment; `.hash`.
    package init(decoding file: [UInt8]) throws(CircleFormError) {
        try self.init(RecordSegment(decoding: file), file)
    }

    private init(_ segment: RecordSegment, _ file: [UInt8]) throws(CircleFormError) {
        (circle, device, run, before) = (segment.circle, segment.device, segment.run, segment.before)
        count = file.count
        let digest = try FileDigest(of: file)
        self.digest = digest
        var (records, chain, place): ([KnownRecord], ChainHash, Int) = ([], segment.before, RecordSegment.frame)
        records.reserveCapacity(segment.records.count)
        for record in segment.records {
            let known = try KnownRecord(record, in: digest, of: segment.records[0].header.number, at: place + 4, chain)
            records.append(known)
            (chain, place) = (known.after, place + 4 + record.bytes.count)
        }
        self.records = records
    }

    /// The number of the first record.
    package var number: UInt64 { records[0].header.number }
}

/// What one has to know of a record whose bytes are elsewhere.
package struct KnownRecord: Hashable, Sendable {
    /// A record is in many lists, and is kept once.
    private final class Content: Sendable {
        let header: CircleRecord.Header
        let digest: FileDigest
        let file: FileDigest
        let first: UInt64
        let place: Range<Int>
        let after: ChainHash

        init(
            _ header: CircleRecord.Header, _ digest: FileDigest, _ file: FileDigest, _ first: UInt64,
            _ place: Range<Int>, _ after: ChainHash
        ) {
            (self.header, self.digest, self.file) = (header, digest, file)
            (self.first, self.place, self.after) = (first, place, after)
        }
    }

    private let content: Content

    package var header: CircleRecord.Header { content.header }
    /// The chain hash after it, if its segment begins where it says.
    package var after: ChainHash { content.after }
    /// The SHA-256 of the file that has it.
    package var file: FileDigest { content.file }
    /// The length of the record in bytes.
    package var count: Int { content.place.count }
    /// The number of the file's first record.
    package var first: UInt64 { content.first }

    fileprivate init(
        _ record: CircleRecord, in file: FileDigest, of first: UInt64, at place: Int, _ before: ChainHash
    ) throws(CircleFormError) {
        content = Content(
            record.header, try FileDigest(of: record.bytes), file, first, place..<place + record.bytes.count,
            try before.followed(by: record.bytes))
    }

    package static func == (one: KnownRecord, other: KnownRecord) -> Bool {
        one.content === other.content || one.content.digest == other.content.digest
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(content.digest) }

    /// The record itself.
    ///
    /// - Parameter file: the bytes of its segment.
    /// - Throws: `.hash` for a file that has something else in its place; `CircleFormError`.
    package func record(in file: [UInt8]) throws(CircleFormError) -> CircleRecord {
        guard content.place.upperBound <= file.count else { throw .hash }
        let bytes = Array(file[content.place])
        guard try FileDigest(of: bytes) == content.digest else { throw .hash }
        return try CircleRecord(decoding: bytes)
    }
}

/// The SHA-256 of bytes that are not kept.
package struct FileDigest: Hashable, Sendable, Comparable {
    private let value: InlineBytes32

    /// - Throws: `.hash`.
    package init(of bytes: [UInt8]) throws(CircleFormError) {
        guard let value = InlineBytes32(try CircleDigest.of(bytes)) else { throw .hash }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }

    package static func < (one: FileDigest, other: FileDigest) -> Bool { one.value < other.value }
}
