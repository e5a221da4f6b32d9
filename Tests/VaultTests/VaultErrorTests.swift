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

    /// The number is that of the TPM's own documents, which write it in this base.
    @Test func theNumberOfATPMsErrorIsHexadecimal() {
        let error = SealerError(.other, "why", advice: "do that", tpmCode: 0x922)
        #expect(error.description == "why (TPM error 0x922); do that")
        #expect(error.underlying == "tpm 0x922")
        let other = SealerError(.other, "why")
        #expect(other.description == "why" && other.underlying == nil)
    }
}
