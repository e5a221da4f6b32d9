import Authorization
import Cryptography
import TestSupport
import Testing

@testable import Vault

/// What a vault without a TPM does not do.
struct SoftwareVaultTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @Test func aVaultThatIsNotTiedToTheBootTakesNoListOfBoots() throws {
        let boot = ApprovedBoot(digest: [UInt8](repeating: 1, count: SHA256.count), approved: 1)
        let revision = vault.lastHeader.revision
        #expect(vaultError { try vault.put(BootList(inForce: [boot])) } == .changed)
        #expect(vault.lastHeader.revision == revision && vault.objects[.approvedBoots] == nil)
    }

    @Test func aSuccessorWithoutACounterTakesNoStep() throws {
        let successor = try fixture.successor(of: vault)
        let header = successor.vault.lastHeader
        try successor.endFilling(with: fixture.sealer)
        #expect(successor.vault.lastHeader.revision == header.revision)
        #expect(successor.vault.lastHeader.epoch == header.epoch)
    }

    @Test func onlyAnUnlockRootTakesThePlaceOfOne() throws {
        let sealed = try #require(vault.objects[.unlockRoot])
        let other = SealedObject(role: .presence, public: sealed.public, private: sealed.private)
        let next = try SecretBytes.random(count: 32)
        let revision = vault.lastHeader.revision
        #expect(
            vaultError {
                try vault.begin(
                    from: fixture.keys.unlockRoot, to: next, ResealedRoot(object: other, name: [], index: nil))
            } == .invalidArgument)
        #expect(vault.lastHeader.revision == revision)
    }

    /// What this process believes of the roots is what the file has.
    @Test func rootsThatWereNotWrittenAreNotPinned() throws {
        let sealed = ResealedRoot(object: try #require(vault.objects[.unlockRoot]), name: [], index: nil)
        let next = try SecretBytes.random(count: 32)
        try vault.set(.make("s", "a", "v"))
        try withoutWriting(fixture.path + "-wal") {
            #expect(vaultError { try vault.begin(from: fixture.keys.unlockRoot, to: next, sealed) } == .storage)
        }
        #expect(vault.pinned.withLock { $0.transition } == nil)
    }

    /// The disk fails after the commit. The next change of the objects goes on from what the file has.
    @Test func rootsThatWereNotWrittenBackArePinned() throws {
        let sealed = ResealedRoot(object: try #require(vault.objects[.unlockRoot]), name: [], index: nil)
        let next = try SecretBytes.random(count: 32)
        try withoutWriting(fixture.path) {
            #expect(vaultError { try vault.begin(from: fixture.keys.unlockRoot, to: next, sealed) } == .storage)
        }
        #expect(vault.pinned.withLock { $0.transition } != nil)
        #expect(try vault.list().isEmpty)
        let (key, _) = try fixture.sealer.makeSetKey([UInt8](repeating: 2, count: 32), record: vault.record)
        try vault.put(setKey: key)
        _ = try vault.verify()
        try vault.close()
        #expect(try fixture.open().list().isEmpty)
    }

    @Test func aRenewalBegunForAnotherVaultIsRefused() throws {
        let (other, next) = (try VaultFixture(), try VaultFixture())
        let succession = Succession(record: next.record, former: other.record)
        #expect(vaultError { try vault.begin(succession, keys: next.keys) } == .changed)
    }

    @Test func missingMemoryIsNoOtherError() {
        let memory = SealerError(CryptographyError(code: .outOfMemory, reason: "full"))
        #expect(memory.code == .outOfMemory && memory.advice == SealerError.tryAgain)
        #expect(SealerError(CryptographyError(code: .invalidKey, reason: "broken")).code == .other)
    }

    /// docs/vault-format.md, "Keys". Some are used by this vault alone, which would not notice another length.
    @Test func eachKeyHasThirtyTwoBytes() throws {
        let (keys, id) = (vault.keys, fixture.record.vault)
        let derived = [
            keys.index, keys.metadata, keys.integrity, keys.classMAC, keys.log, keys.counter,
            try keys.password(of: id), try VaultKeys.keybag(unlockRoot: fixture.keys.unlockRoot, vault: id),
        ]
        #expect(derived.allSatisfy { $0.count == 32 })
    }
}
