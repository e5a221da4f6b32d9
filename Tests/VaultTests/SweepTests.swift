import Testing

@testable import Vault

/// Items are deleted some time after they expired, and no others are.
struct SweepTests {
    @Test func onlyWhatHasExpiredGoesAndTheOldestFirst() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let now = fixture.clock.withLock { $0 }
        for (account, expires) in [("never", nil), ("later", now + 1), ("c", now), ("a", now - 2), ("b", now - 1)] {
            var draft = try ItemDraft.make("s", account, account)
            draft.expires = expires
            try vault.set(draft)
        }
        let (revision, epoch) = (vault.lastHeader.revision, vault.epoch)
        #expect(try vault.sweep(expiredBy: now - 3, limit: 10).isEmpty)
        #expect(vault.lastHeader.revision == revision)
        #expect(try vault.sweep(expiredBy: now, limit: 2).map(\.metadata.account) == ["a", "b"])
        // One write, which takes no step: what has expired may come back for some minutes.
        #expect(vault.lastHeader.revision == revision + 1 && vault.epoch == epoch)
        #expect(try vault.sweep(expiredBy: now, limit: 2).map(\.metadata.account) == ["c"])
        #expect(try vault.sweep(expiredBy: now, limit: 2).isEmpty)
        #expect(try vault.list().map(\.metadata.account) == ["later", "never"])
        _ = try vault.verify()
    }
}
