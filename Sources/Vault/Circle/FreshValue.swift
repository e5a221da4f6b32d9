import Circle
import Cryptography
import Item

/// A value that was sealed under a key of its own just now.
struct FreshValue {
    let context: FieldContext
    let key: SecretBytes
    let sealed: [UInt8]
    let commitment: [UInt8]

    init(_ plain: SecretBytes, _ context: FieldContext) throws(VaultError) {
        self.context = context
        (key, sealed, commitment) = try cryptography { () throws(CryptographyError) in
            let key = try SecretBytes.random(count: AESGCM.keyCount)
            return (key, try context.seal(plain, key: key), try context.commitment(to: key))
        }
    }
}
