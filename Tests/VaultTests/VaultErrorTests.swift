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

    /// People look the TPM's code up as its specification writes it (TPM 2.0 Library, Part 2, section 6.6).
    @Test func theTPMsCodeIsHexadecimal() {
        let refused = SealerError(.other, "it refuses", advice: "ask it later", tpmCode: 0x98E)
        #expect(refused.description == "it refuses (TPM error 0x98e); ask it later")
        #expect(refused.underlying == "tpm 0x98e")
        let other = SealerError(.other, "it refuses")
        #expect(other.description == "it refuses" && other.underlying == nil)
    }
}
