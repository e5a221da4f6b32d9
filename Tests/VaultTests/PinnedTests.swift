import Authorization
import Testing

@testable import Vault

/// Which sealed objects the file may have, by the registry's record.
struct PinnedTests {
    private let fixture: VaultFixture
    private let objects: SealedObjects

    init() throws {
        fixture = try VaultFixture()
        objects = Dictionary(uniqueKeysWithValues: fixture.keys.objects.map { ($0.role, $0) })
    }

    private func outcome(_ change: (inout SealedObjects) -> Void) -> SealerError.Code? {
        var changed = objects
        change(&changed)
        do throws(SealerError) {
            _ = try Pinned(record: fixture.record, objects: changed, transition: nil, sealer: fixture.sealer)
            return nil
        } catch { return error.code }
    }

    @Test func theFileHasWhatTheRecordNames() {
        #expect(outcome { _ in } == nil)
        for role in objects.keys { #expect(outcome { $0[role] = nil } == .damaged, "\(role)") }
    }

    /// Only a vault that is tied to the boot has these.
    @Test(arguments: [ObjectRole.approvingKey, .approvedBoots]) func aVaultThatIsNotTiedHasNoBoots(role: ObjectRole) {
        let object = SealedObject(role: role, public: [1], private: [])
        #expect(outcome { $0[role] = object } == .damaged)
    }

    /// The registry names an unlock root that is neither in use nor about to be.
    @Test func aRecordIsTakenWithItsRootOrNotAtAll() throws {
        var pinned = try Pinned(record: fixture.record, objects: objects, transition: nil, sealer: fixture.sealer)
        let other = fixture.record.with(binding: nil, unlockRoot: [UInt8](repeating: 1, count: 34))
        do throws(SealerError) {
            try pinned.take(other, sealer: fixture.sealer)
            Issue.record("it was taken")
        } catch { #expect(error.code == .damaged) }
    }
}
