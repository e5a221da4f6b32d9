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

    /// Only one transition is in the file. Another one would take the place of roots that the registry may name.
    @Test func theRootIsSealedAnewOnceAtATime() throws {
        let sealed = try #require(vault.objects[.unlockRoot])
        func begin(_ object: SealedObject) throws {
            let next = try SecretBytes.random(count: 32)
            try vault.begin(
                from: fixture.keys.unlockRoot, to: next, ResealedRoot(object: object, name: [], index: nil))
        }
        let other = SealedObject(role: .presence, public: sealed.public, private: sealed.private)
        #expect(vaultError { try begin(other) } == .invalidArgument)
        #expect(!vault.isBindingUnfinished)
        try begin(sealed)
        #expect(vault.isBindingUnfinished)
        let revision = vault.lastHeader.revision
        #expect(vaultError { try begin(sealed) } == .changed)
        #expect(vault.lastHeader.revision == revision)
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
}
