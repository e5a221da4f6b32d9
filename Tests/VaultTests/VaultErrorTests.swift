import Cryptography
import Testing

@testable import Vault

/// What a vault makes of the errors below it.
struct VaultErrorTests {
    /// No memory says nothing of the vault. Nobody should look for damage, or for a broken disk.
    @Test func aLackOfMemoryIsNoFaultOfTheVault() {
        let lack = VaultError(CryptographyError(code: .outOfMemory, reason: "no room in the heap"))
        #expect(lack.code == .outOfMemory && lack.advice == SealerError.tryAgain)
        #expect(lack.cause is CryptographyError)
        let other = VaultError(CryptographyError(code: .library, reason: "something odd"))
        #expect(other.code == .storage && other.reason.contains("something odd"))
    }
}
