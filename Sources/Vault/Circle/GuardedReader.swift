import Circle
import Cryptography
import Item

/// Takes in guarded values. Nothing is opened for that (docs/sync-format.md, “Values”).
struct GuardedReader {
    let vault: OpenVault
    let view: CircleView
    let change: Change

    /// The record of a guarded value, with the slots that its writer, or another machine, has made for this one. Nothing
    /// is opened: for that, this machine's person has to be asked.
    ///
    /// - Returns: nil without such slots, and if they are not what this vault could use.
    func record(
        of revision: PartChange, _ field: FieldName, of item: ItemID, _ name: ItemName, _ access: AccessControl,
        version: UInt64
    ) throws(VaultError) -> (value: CarriedValue, record: FieldRecord)? {
        guard case .value(let content)? = revision.content, content.access == access,
            let found = try view.value(of: revision)?.value, let id = RevisionID(bytes: content.revision),
            let sealedFor = ItemID(bytes: found.item.bytes)
        else { return nil }
        let address = SlotAddress(circle: view.device.circle, view.device.keys)
        let context = FieldContext(
            vault: vault.format.vault, item: sealedFor, field: field, access: access, seal: .third(id), name: name,
            address: address)
        let digest = try cryptography { () throws(CryptographyError) in try context.nameDigest() }
        let shapes = FieldRecord.shapes(for: access, isAddressed: true)
        for group in view.slots(of: revision, found) {
            guard let slots = try usable(group, digest, shapes, id, of: item) else { continue }
            return (
                found,
                FieldRecord(
                    version: version, revision: id, valueKey: id.bytes, format: FieldRecord.addressed, item: sealedFor,
                    access: access, valueDigest: content.digest, commitment: found.commitment, slots: slots,
                    address: address)
            )
        }
        return nil
    }

    /// The slots for this device, if they are what its vault could use. A member that adds junk keeps nobody from the
    /// others.
    private func usable(
        _ group: [ValueSlot], _ name: [UInt8], _ shapes: [Slot.Shape], _ revision: RevisionID, of item: ItemID
    ) throws(VaultError) -> [Slot]? {
        var slots: [Slot] = []
        for case .device(view.device.id, name, let bytes) in group where slots.count < shapes.count {
            guard let slot = Self.slot(bytes) else { return nil }
            slots.append(slot)
        }
        let points = slots.flatMap(\.points)
        guard slots.map(\.shape) == shapes, Set(points).count == points.count, points.allSatisfy(P256.isOnCurve)
        else { return nil }
        for point in points { guard try isUnused(point, revision, item) else { return nil } }
        return slots
    }

    private static func slot(_ bytes: [UInt8]) -> Slot? {
        do throws(VaultError) { return try Slot(decoding: bytes) } catch { return nil }
    }

    /// Whether no other value has this point. A signature for one would open the other.
    private func isUnused(_ point: [UInt8], _ revision: RevisionID, _ item: ItemID) throws(VaultError) -> Bool {
        guard try change.hasPoint(point) else { return true }
        // A former value of the item makes room when it becomes the present one again.
        return try change.former(of: item).contains {
            $0.value.field.revision == revision && $0.value.field.points.contains(point)
        }
    }
}
