import Authorization

/// A file of consecutive records of one run (docs/sync-format.md, “Segments”).
package struct RecordSegment: Hashable, Sendable {
    package let circle: StatementName
    package let device: WriterID
    package let run: RunID
    /// What the segment says of the place where it begins. A head proves it, or nothing does.
    package let before: ChainHash
    /// At least one; their numbers go up by one.
    package let records: [CircleRecord]
    /// The length of the bytes.
    package let count: Int

    /// The file. The records have all of it but the beginning, so it is not kept beside them.
    package var bytes: [UInt8] {
        Self.domain + BigEndian.bytes(CircleLimits.version) + circle.bytes + device.bytes + run.bytes + before.bytes
            + [UInt8](list: records) { LengthPrefixed.encode($0.bytes) }
    }

    /// The bytes before the first record.
    static let frame =
        domain.count + 2 + StatementName.count + SharedItemID.count + RunID.count + ChainHash.count + 4

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.segment".utf8))

    /// - Throws: `.length`, `.place` for records that do not follow each other.
    package init(before: ChainHash, records: [CircleRecord]) throws(CircleFormError) {
        guard let first = records.first?.header, records.count <= CircleLimits.records else { throw .length }
        var number = first.number
        for record in records {
            let header = record.header
            guard header.circle == first.circle, header.device == first.device, header.run == first.run,
                header.number == number
            else { throw .place }
            number += 1  // A number has 16 digits, so one more fits.
        }
        (circle, device, run, self.before, self.records) = (first.circle, first.device, first.run, before, records)
        count = records.reduce(Self.frame) { $0 + 4 + $1.bytes.count }
        guard count <= CircleLimits.segment else { throw .length }
    }

    /// Reads canonical bytes. Each segment has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.segment else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let (circle, device) = (try rest.circle(), try rest.device())
        guard let run = RunID(bytes: try rest.take(RunID.count)),
            let before = ChainHash(bytes: try rest.take(ChainHash.count))
        else { throw .length }
        let records = try rest.elements(upTo: CircleLimits.records) { (rest) throws(CircleFormError) in
            try CircleRecord(decoding: try rest.prefixed(upTo: CircleLimits.segment))
        }
        try rest.end()
        try self.init(before: before, records: records)
        guard self.circle == circle, self.device == device, self.run == run else { throw .place }
    }
}
