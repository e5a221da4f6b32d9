import Circle
import Testing

@testable import Vault

/// Reads of a circle's files that end the process without their checks: of a file that became shorter since it came
/// (attacker 5), and after the transaction that has authenticated the rows.
@Suite(.timeLimit(.minutes(30)))
struct SegmentFilesExitTests {
    @Test func aFileThatBecameShorterIsDamage() async {
        await #expect(processExitsWith: .success) {
            let desk = try CircleMachine("desk")
            try desk.found()
            let (vault, keys) = (desk.vault, desk.classKeys)
            let (segment, file) = try vault.read { (snapshot) throws(VaultError) in
                let segment = try vault.view(snapshot, keys).0.segments[0]
                return (segment, try snapshot.circle(segment))
            }
            let known = try #require(segment.records.last)
            for count in [0, 1, file.count - 1] {
                let short = Array(file.prefix(count))
                let code = vaultError { _ = try SegmentFiles([segment.digest: short], in: nil).record(known) }
                try #require(code == .damaged, "\(count)")
            }
        }
    }
    @Test func afterTheTransactionNothingIsRead() async {
        await #expect(processExitsWith: .success) {
            let desk = try CircleMachine("desk")
            try desk.found()
            let (vault, keys) = (desk.vault, desk.classKeys)
            let (known, files) = try vault.read { (snapshot) throws(VaultError) in
                let known = try vault.view(snapshot, keys).0.segments[0].records[0]
                _ = try SegmentFiles([:], in: snapshot).record(known)
                return (known, SegmentFiles([:], in: snapshot))
            }
            try #require(vaultError { _ = try files.record(known) } == .storage)
        }
    }
}
