import Authorization
import Circle
import Cryptography
import Item

/// A value that a machine has given out, opened with this vault's keys.
struct OpenedValue {
    let plain: SecretBytes
    let key: SecretBytes
    let carried: CarriedValue
    let revision: RevisionID
    let context: FieldContext

    /// - Parameters:
    ///   - change: gave the value to a field.
    ///   - found: what its record has of it; nil if the record no longer opens.
    ///   - name: by which a person is asked for it.
    /// - Returns: nil for a value that does not open, or whose key is not the one that it commits to: its writer's fault.
    /// - Throws: `.locked` if a class key is missing that the value needs.
    init?(
        _ change: PartChange, _ found: CircleView.GivenValue?, in view: CircleView, of vault: VaultID,
        as name: ItemName
    ) throws(VaultError) {
        guard case .field(let field) = change.part, case .value(let content)? = change.content, let found,
            content.access.requirements.isEmpty, TravelRule.obstacle(content.access) == nil,
            let halves = view.halves[found.generation],
            let revision = RevisionID(bytes: content.revision), let item = ItemID(bytes: found.value.item.bytes)
        else { return nil }
        let context = FieldContext(
            vault: vault, item: item, field: field, access: content.access, seal: .third(revision), name: name)
        let slot = MembersSlot(
            circle: view.device.circle, generation: found.generation, value: context, revision: revision)
        guard let key = try Self.itemKey(found.value, slot, halves, context),
            let plain = try Self.opened(found.value.sealed, context, key)
        else { return nil }
        (self.plain, self.key, carried) = (plain, key, found.value)
        (self.revision, self.context) = (revision, context)
    }

    /// - Returns: nil if no slot gives the key that the value commits to.
    private static func itemKey(
        _ value: CarriedValue, _ slot: MembersSlot, _ halves: GenerationHalves, _ context: FieldContext
    ) throws(VaultError) -> SecretBytes? {
        for one in value.slots {
            if case .members(let valueClass, _, _) = one, halves.classes[valueClass] == nil {
                throw .vaultIsLocked
            }
            let key = try cryptography { () throws(CryptographyError) -> SecretBytes? in
                guard let key = try slot.unwrap(one, halves) else { return nil }
                return ConstantTime.equal(try context.commitment(to: key), value.commitment) ? key : nil
            }
            if let key { return key }
        }
        return nil
    }

    /// - Returns: nil if it does not open.
    private static func opened(
        _ sealed: [UInt8], _ context: FieldContext, _ key: SecretBytes
    ) throws(VaultError) -> SecretBytes? {
        do throws(VaultError) { return try context.open(sealed, key: key) } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Whether a person would take both for the same.
    func isSame(as other: OpenedValue) -> Bool { carried.kind == other.carried.kind && plain == other.plain }
}
