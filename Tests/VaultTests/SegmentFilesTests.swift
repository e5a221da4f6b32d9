import Circle
import Testing

@testable import Vault

/// Records are read again from the files that they came in. Somebody may have changed these meanwhile (attacker 5).
struct SegmentFilesTests {
    private let desk: CircleMachine
    private let segment: KnownSegment
    private let file: [UInt8]

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
        try desk.set("github", "", "1")
        try desk.sync(CircleStore())
        let (vault, keys) = (desk.vault, desk.classKeys)
        let segments = try vault.read { (snapshot) throws(VaultError) in
            try vault.view(snapshot, keys).0.segments.map { (one) throws(VaultError) in (one, try snapshot.circle(one))
            }
        }
        (segment, file) = try #require(segments.max { $0.1.count < $1.1.count })
    }

    private func read(_ known: KnownRecord, in file: [UInt8]) -> VaultError.Code? {
        vaultError { _ = try SegmentFiles([segment.digest: file], in: nil).record(known) }
    }

    @Test func aRecordIsWhatItWas() throws {
        let whole = try RecordSegment(decoding: file)
        for (known, record) in zip(segment.records, whole.records) {
            #expect(try SegmentFiles([segment.digest: file], in: nil).record(known) == record)
            #expect(try desk.record(known) == record)
        }
        #expect(segment.records.map(\.header) == whole.records.map(\.header) && segment.count == file.count)
    }

    @Test func aRecordThatHasChangedIsDamage() throws {
        let known = try #require(segment.records.last)
        var changed = file
        changed[file.count - 1] ^= 1
        #expect(read(known, in: changed) == .damaged)
    }

    @Test func anotherCirclesRecordIsDamage() throws {
        let stranger = try Self.stranger()
        let other = try desk.vault.read { (snapshot) throws(VaultError) in
            vaultError { _ = try SegmentFiles([:], in: snapshot).record(stranger) }
        }
        #expect(other == .damaged)
    }

    /// A record that no row has.
    private static func stranger() throws -> KnownRecord {
        let other = try CircleMachine("other")
        try other.found()
        let records = try other.vault.read { (snapshot) throws(VaultError) in
            try other.vault.view(snapshot, other.classKeys).0.segments.flatMap(\.records)
        }
        return try #require(records.first)
    }
}
