import Authorization
import Circle
import Testing

@testable import Vault

/// What is known of parts that were compared is kept in memory, so it has a limit.
struct KnownConflictsTests {
    private func revisions(_ numbers: Range<UInt64>) -> [[RevisionName]] {
        numbers.compactMap { RevisionName(digest: [UInt8](repeating: 0, count: 24) + BigEndian.bytes($0)) }.map { [$0] }
    }

    @Test func soManyPartsAreKnownAndOneMoreBeginsAnew() throws {
        let all = revisions(0..<20_001)
        try #require(all.count == 20_001)
        var known = KnownConflicts()
        for one in all.dropLast() { known.put(one, isConflict: true) }
        #expect(known.isConflict(all[0]) == true && known.isConflict(all[19_999]) == true)
        known.put(all[20_000], isConflict: false)
        #expect(known.isConflict(all[0]) == nil && known.isConflict(all[19_999]) == nil)
        #expect(known.isConflict(all[20_000]) == false)
    }
}
