import Authorization
import Circle
import Cryptography
import Item

/// A value that was sealed under a key of its own just now.
package struct FreshValue {
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

extension FreshValue {
    /// A value as a member gives it out, for all members of a generation.
    ///
    /// - Returns: what the change names, and what its record carries.
    package static func given(
        _ plain: SecretBytes, _ field: FieldName, of item: ItemID, _ access: AccessControl, vault: VaultID,
        in generation: KeyGeneration
    ) throws(VaultError) -> (content: SealedField, value: CarriedValue) {
        let revision = try cryptography { () throws(CryptographyError) in try RevisionID.random() }
        let context = FieldContext(
            vault: vault, item: item, field: field, access: access, seal: .third(revision),
            name: ItemName(service: "", account: ""))
        let fresh = try FreshValue(plain, context)
        let slot = try MembersSlot(
            circle: generation.circle, generation: generation.name, value: context, revision: revision
        ).wrap(fresh.key, generation)
        let content = try SealedField(fresh, revision)
        guard let item = SharedItemID(bytes: item.bytes) else { throw .impossible(.length) }
        do throws(CircleFormError) {
            let value = try CarriedValue(
                kind: .secret, item: item, commitment: fresh.commitment, slots: [slot], sealed: fresh.sealed)
            return (content, value)
        } catch { throw .impossible(error) }
    }
}
