import Circle
import Testing

@testable import Vault

/// Records are read again from their files. Somebody can make files whose records take turns (attackers 10 and 13).
/// Then a few files stay in memory, and never many.
struct SegmentFilesTurnsTests {
    private let desk: CircleMachine
    /// The first record of each of six files.
    private let records: [KnownRecord]

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
        let store = CircleStore()
        for number in 1...6 {
            try desk.set("file", "\(number)", "\(number)")
            try desk.sync(store)
        }
        let (vault, keys) = (desk.vault, desk.classKeys)
        let segments = try vault.read { (snapshot) throws(VaultError) in try vault.view(snapshot, keys).0.segments }
        records = segments.prefix(6).compactMap(\.records.first)
        try #require(records.count == 6)
    }

    /// The files whose bytes are in memory after records were read in this order: those that can be read although their
    /// rows are gone.
    private func kept(after reads: [Int]) -> [Int] {
        let (vault, records) = (desk.vault, records)
        var kept: [Int] = []
        let error = vaultError {
            try vault.write { (change) throws(VaultError) -> Void in
                let files = SegmentFiles([:], in: change)
                for place in reads { _ = try files.record(records[place]) }
                for record in records { try change.rows.put(circle: CircleRow.segment(of: record).id, []) }
                for place in records.indices {
                    if vaultError({ _ = try files.record(records[place]) }) == nil { kept.append(place) }
                }
                throw VaultError(.outdated, "nothing of it stays")
            }
        }
        #expect(error == .outdated)
        return kept
    }

    @Test func ofFilesInTheirOrderOneIsKept() {
        #expect(kept(after: [0]) == [0])
        #expect(kept(after: [0, 1, 2, 3]) == [3])
    }

    /// Otherwise each record would have a whole file read.
    @Test func filesThatTakeTurnsAreKept() {
        #expect(kept(after: [0, 1, 0, 1]) == [0, 1])
        #expect(kept(after: [0, 1, 2, 0, 1, 2]) == [0, 1, 2])
    }

    @Test func noMoreThanFourAreKept() {
        #expect(kept(after: [0, 1, 2, 3, 0, 1, 2, 3]) == [0, 1, 2, 3])
        #expect(kept(after: [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]) == [1, 2, 3, 4])
    }
}
