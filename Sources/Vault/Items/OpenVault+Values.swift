import Authorization
import Cryptography

/// Reads values.
extension OpenVault {
    /// What is needed to read an item.
    ///
    /// - Throws: `.changed` if the item has another version by now; `.fingersChanged` if only fingers that are no
    ///   longer enrolled could open it; `.damaged`; `.storage`.
    public func readPlan(for item: ItemSummary) throws(VaultError) -> ReadPlan {
        try plan(
            of: try read { (snapshot) throws(VaultError) in
                try snapshot.value(of: snapshot.present(item, now: now()))
            })
    }

    func plan(of stored: ItemValue) throws(VaultError) -> ReadPlan {
        let item = stored.item
        let slots = stored.field.slots.filter { $0.shape.keyClass != .recovery }
        guard !slots.isEmpty else { throw .damaged("an item has no way to be read") }
        // The key of the former fingers is gone, so asking for a finger would be in vain.
        let isBound = hasSetKey && item.metadata.biometrySet == record.biometrySet.map(Hex.encode)
        let alternatives = slots.filter { isBound || !$0.shape.requirements.contains(.biometryCurrentSet) }.map {
            slot in
            ReadPlan.Alternative(
                agreements: zip(slot.shape.requirements.roles, slot.points).map {
                    ReadPlan.Agreement(role: $0, point: $1)
                },
                passwordSalt: slot.shape.requirements.contains(.applicationPassword) ? slot.salt : nil)
        }
        guard !alternatives.isEmpty else {
            throw VaultError(
                .fingersChanged, "the enrolled fingers changed since this item was set, so nobody can read it",
                advice: "set it again with: coffer set")
        }
        return ReadPlan(
            item: item.id, version: item.version, accessibility: stored.field.access.accessibility,
            alternatives: alternatives)
    }

    /// An item's value.
    ///
    /// - Parameters:
    ///   - classKeys: evaluated only when the keys are used.
    ///   - agreements: the shared secrets of the constraint keys and the points of the item's read plan.
    ///   - applicationPassword: stretched with the read plan's salt. If given, only a way of reading that needs it is
    ///     used.
    ///   - keeper: keeps the item's key if the item asks nobody.
    /// - Throws: `.locked` if the class key is missing; `.invalidArgument` if an agreement or password is missing;
    ///   `.authenticationFailed` for a wrong application password; `.changed`; `.notFound` if the item has expired;
    ///   `.damaged`; `.storage`.
    public func value(
        of item: ItemSummary, classKeys: @autoclosure () -> ClassKeys, agreements: [ObjectRole: SecretBytes] = [:],
        applicationPassword: StretchedPassword? = nil, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> SecretBytes {
        let (stored, sealed) = try read { (snapshot) throws(VaultError) in
            let stored = try snapshot.value(of: snapshot.present(item, now: now()))
            return (stored, try snapshot.sealedValue(of: stored))
        }
        return try open(
            stored, sealed, classKeys: classKeys, agreements: agreements, applicationPassword: applicationPassword,
            keeper: stored.hasKeptKey ? keeper : nil)
    }

    /// - Parameter keeper: nil for an item whose key must not be kept.
    func open(
        _ stored: ItemValue, _ sealed: [UInt8], classKeys: () -> ClassKeys, agreements: [ObjectRole: SecretBytes],
        applicationPassword: StretchedPassword?, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> SecretBytes {
        let slot = try slot(of: stored, agreements, hasPassword: applicationPassword != nil)
        guard applicationPassword.map({ $0.salt == slot.salt }) ?? true else {
            throw VaultError(.changed, "the item was changed meanwhile", advice: "try again")
        }
        guard let classKey = classKeys()[slot.shape.keyClass] else {
            throw VaultError(.locked, "the vault is locked", advice: "open it with: coffer unlock")
        }
        let context = stored.context(in: format.vault)
        if let kept = keeper?.itemKey(of: stored.item.id), kept.opens(stored, in: format.vault) {
            return try context.open(sealed, key: kept.key)
        }
        let roles = slot.shape.requirements.roles
        let itemKey: SecretBytes
        do throws(CryptographyError) {
            itemKey = try slot.unwrap(
                classKey: classKey, agreements: roles.compactMap { agreements[$0] }, password: applicationPassword,
                constraintKeys: roles.map { constraintPoints[$0] ?? [] }, context)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            if slot.shape.requirements.contains(.applicationPassword) {
                throw VaultError(
                    .authenticationFailed, "the application password is wrong, or the item is damaged", cause: error)
            }
            throw .damaged("an item's key does not open", cause: error)
        }
        try stored.field.check(itemKey, context)
        let value = try context.open(sealed, key: itemKey)
        keeper?.keep(ItemKey(itemKey, of: stored, in: format.vault))
        return value
    }

    /// The first way of reading whose requirements are all met.
    private func slot(
        of value: ItemValue, _ agreements: [ObjectRole: SecretBytes], hasPassword: Bool
    ) throws(VaultError) -> Slot {
        let slot = value.field.slots.first { slot in
            slot.shape.keyClass != .recovery && slot.shape.requirements.roles.allSatisfy { agreements[$0] != nil }
                && hasPassword == slot.shape.requirements.contains(.applicationPassword)
        }
        guard let slot else {
            throw VaultError(.invalidArgument, "the item needs: \(value.field.access.requirements.listed)")
        }
        return slot
    }
}

extension Snapshot {
    /// The item that a caller looked at before. The item must have the same version and must not have expired.
    func present(_ summary: ItemSummary, now: UInt64) throws(VaultError) -> StoredItem {
        guard let item = try itemIfPresent(summary.id), item.summary.version == summary.version else {
            throw VaultError(.changed, "the item was changed or deleted meanwhile", advice: "try again")
        }
        guard !item.summary.metadata.isExpired(at: now) else { throw .expired(item.summary) }
        return item
    }
}
