import Authorization
import Circle
import Cryptography
import Item

/// An item of a vault whose keys are renewed: read, to be sealed under the successor's keys.
package struct RenewedItem: Sendable {
    package let item: ItemSummary
    let values: [FieldValue]
    /// The values are the same as before, so they keep their revisions.
    let revisions: [FieldName: RevisionID]
    /// For the successor's own device: with them it can take the values in again, and no other machine has to release
    /// them to it.
    let slots: [ReleasedSlots]
    let applicationPassword: StretchedPassword?
}

/// The device that the successor of a vault will be, and what the circle has of the vault's guarded values.
package struct CircleSuccessor: Sendable {
    let receivers: GuardReceivers
    /// The changes that gave the guarded values that everybody shows, by their revisions.
    let changes: [RevisionID: RevisionName]
}

extension OpenVault {
    /// Reads an item, to be sealed under a successor's keys.
    ///
    /// - Parameters:
    ///   - password: the one that the item is read with, and the one that it is stored with.
    ///   - successor: nil for a vault that shares its items with nobody.
    /// - Throws: as ``value(of:_:classKeys:agreements:applicationPassword:keeper:)``.
    package func renewing(
        _ item: ItemSummary, classKeys: ClassKeys, agreements: Agreements = [:],
        password: (reading: StretchedPassword, storing: StretchedPassword)? = nil,
        for successor: CircleSuccessor? = nil
    ) throws(VaultError) -> RenewedItem {
        let stored = try read { (snapshot) throws(VaultError) in
            try snapshot.values(of: snapshot.present(item, now: now())).map { (value) throws(VaultError) in
                (value, try snapshot.sealedValue(of: value))
            }
        }
        var values: [FieldValue] = []
        var revisions: [FieldName: RevisionID] = [:]
        var slots: [ReleasedSlots] = []
        for (value, sealed) in stored {
            let plain = try open(
                value, sealed, classKeys: { classKeys }, agreements: agreements,
                applicationPassword: password?.reading)
            values.append(FieldValue(value.fieldName, plain))
            // The others are bound to the vault, and had no revision.
            guard value.field.format != 1 else { continue }
            revisions[value.fieldName] = value.field.revision
            guard password == nil, let successor, let change = successor.changes[value.field.revision] else { continue }
            let key = try itemKey(of: value, classKeys: classKeys, agreements: agreements)
            var context = value.context(in: format.vault)
            context.address = nil
            let bound = context
            let own = try cryptography { () throws(CryptographyError) in try successor.receivers.slots(key, bound) }
            guard !own.isEmpty else { continue }
            do throws(CircleFormError) { slots.append(try ReleasedSlots(of: change, own)) } catch {
                throw .impossible(error)
            }
        }
        return RenewedItem(
            item: item, values: values, revisions: revisions, slots: slots, applicationPassword: password?.storing)
    }
}
