import Authorization
import Cryptography
import Testing

@testable import Vault

/// The keys of a vault (docs/vault-format.md, "Keys").
struct VaultKeysTests {
    /// Another length of some of these would be noticed by nobody: the same code makes and takes them.
    @Test func eachHasThirtyTwoBytes() throws {
        let (vault, root) = (try VaultID.random(), try SecretBytes.random(count: 32))
        let keys = try VaultKeys(deviceRoot: root, vault: vault)
        // A recovery has other keys in the place of those that no recovery needs.
        let recovered = try VaultKeys(
            index: keys.index, metadata: keys.metadata, integrity: keys.integrity, classMAC: keys.classMAC)
        for keys in [keys, recovered] {
            for key in [keys.index, keys.metadata, keys.integrity, keys.classMAC, keys.log, keys.counter] {
                #expect(key.count == 32)
            }
            #expect(try keys.password(of: vault).count == 32)
        }
        #expect(try VaultKeys.counterPassword(deviceRoot: root, vault: vault).count == 32)
        #expect(try VaultKeys.keybag(unlockRoot: root, vault: vault).count == 32)
        #expect(keys.counter == (try VaultKeys.counterPassword(deviceRoot: root, vault: vault)))
    }
}
