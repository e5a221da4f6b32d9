import Circle
import Testing

@testable import Vault

/// A file of a circle that became shorter since it came (attacker 5). Without its check, reading it ends the process.
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
}
