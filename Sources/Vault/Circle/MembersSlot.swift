import Authorization
import Circle
import Cryptography
import Item

/// Wraps the item key of a value for the members of a generation (docs/sync-format.md, “Values”).
struct MembersSlot: Sendable {
    let circle: StatementName
    let generation: StatementName
    /// What the value is sealed under: item, field, revision and access control.
    let value: FieldContext
    let revision: RevisionID

    /// Needs the generation's public half only.
    ///
    /// - Throws: `.invalidArgument` for a value that does not travel.
    func wrap(_ itemKey: SecretBytes, _ generation: KeyGeneration) throws(VaultError) -> ValueSlot {
        guard let valueClass = ValueClass(value.access) else {
            throw VaultError(.invalidArgument, "this item stays on this machine")
        }
        let start = (Int(valueClass.rawValue) - 1) * X25519.count
        let publicHalf = Array(generation.publicHalves[start..<start + X25519.count])
        return try cryptography { () throws(CryptographyError) in
            let ephemeral = try X25519.PrivateKey.generate()
            let info = info(valueClass, publicHalf, ephemeral.publicKey)
            let wrapped = try AESGCM.seal(
                itemKey, key: Agreement.key(ephemeral, publicHalf, info), associatedData: info)
            return .members(valueClass, ephemeral: ephemeral.publicKey, wrappedKey: wrapped)
        }
    }

    /// - Returns: nil for a slot of another kind, and for one that does not open: its writer's fault.
    func unwrap(_ slot: ValueSlot, _ halves: GenerationHalves) throws(CryptographyError) -> SecretBytes? {
        guard case .members(let valueClass, let ephemeral, let wrapped) = slot, let half = halves.classes[valueClass]
        else { return nil }
        let info = info(valueClass, half.publicKey, ephemeral)
        do throws(CryptographyError) {
            return try AESGCM.open(wrapped, key: Agreement.key(half, ephemeral, info), associatedData: info)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw error }
            return nil
        }
    }

    func info(_ valueClass: ValueClass, _ publicHalf: [UInt8], _ ephemeral: [UInt8]) -> [UInt8] {
        LengthPrefixed.encode(
            Array("org.coffer.circle.slot".utf8), circle.bytes, generation.bytes, [valueClass.rawValue],
            value.item.bytes, value.field.bytes, revision.bytes, value.access.encoded, publicHalf, ephemeral)
    }
}
