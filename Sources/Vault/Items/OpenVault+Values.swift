import Authorization
import Cryptography
import Item

/// Reads values.
extension OpenVault {
    /// What is needed to read an item.
    ///
    /// - Throws: `.changed` if the item has another version by now; `.noField`; `.fingersChanged` if only fingers that
    ///   are no longer enrolled could open it; `.damaged`; `.storage`.
    package func readPlan(
        for item: ItemSummary, _ choice: FieldChoice = .one(.secret)
    ) throws(VaultError) -> ReadPlan {
        try plan(
            of: try read { (snapshot) throws(VaultError) in
                try snapshot.values(of: snapshot.present(item, now: now()), choice)
            })
    }

    /// - Parameter values: of one item, at least one.
    func plan(of values: [ItemValue]) throws(VaultError) -> ReadPlan {
        guard let item = values.first?.item, let first = values.first else { throw .damaged("an item has no field") }
        // All fields have the same access control, so they have the same ways of reading.
        let ways = values.map { $0.field.slots.filter { $0.shape.keyClass != .recovery } }
        guard let shapes = ways.first?.map(\.shape), !shapes.isEmpty else {
            throw .damaged("an item has no way to be read")
        }
        // The key of the former fingers is gone, so asking for a finger would be in vain.
        let present = hasSetKey ? record.biometrySet.map(Hex.encode) : nil
        let isBound = values.allSatisfy { value in
            present != nil && item.metadata.field(value.fieldName)?.biometrySet == present
        }
        var alternatives: [ReadPlan.Alternative] = []
        for (place, shape) in shapes.enumerated() where isBound || !shape.requirements.contains(.biometryCurrentSet) {
            let slots = ways.compactMap { $0.indices.contains(place) ? $0[place] : nil }
            guard slots.count == values.count, slots.allSatisfy({ $0.shape == shape }) else {
                throw .damaged("a field is read in other ways than its item")
            }
            guard Set(slots.map(\.salt)).count == 1 else { throw .damaged("an item has two application passwords") }
            alternatives.append(
                ReadPlan.Alternative(
                    agreements: slots.flatMap { slot in
                        zip(slot.shape.requirements.roles, slot.points).map {
                            ReadPlan.Agreement(role: $0, point: $1)
                        }
                    },
                    passwordSalt: shape.requirements.contains(.applicationPassword) ? slots[0].salt : nil))
        }
        guard !alternatives.isEmpty else {
            throw VaultError(
                .fingersChanged, "the enrolled fingers changed since this item was set, so nobody can read it",
                advice: "set it again with: coffer set")
        }
        return ReadPlan(
            item: item.id, version: item.version, accessibility: first.field.access.accessibility,
            alternatives: alternatives)
    }

    /// The value of an item's field.
    ///
    /// - Parameters:
    ///   - classKeys: evaluated only when the keys are used.
    ///   - agreements: for the points of the item's read plan.
    ///   - applicationPassword: stretched with the read plan's salt. If given, only a way of reading that needs it is
    ///     used.
    ///   - keeper: keeps the item's key if the item asks nobody.
    /// - Throws: `.locked` if the class key is missing; `.invalidArgument` if an agreement or password is missing;
    ///   `.authenticationFailed` for a wrong application password; `.changed`; `.notFound` if the item has expired;
    ///   `.noField`; `.damaged`; `.storage`.
    package func value(
        of item: ItemSummary, _ field: FieldName = .secret, classKeys: @autoclosure () -> ClassKeys,
        agreements: Agreements = [:],
        applicationPassword: StretchedPassword? = nil, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> SecretBytes {
        let (stored, sealed) = try read { (snapshot) throws(VaultError) in
            let stored = try snapshot.value(of: snapshot.present(item, now: now()), field)
            return (stored, try snapshot.sealedValue(of: stored))
        }
        return try open(
            stored, sealed, classKeys: classKeys, agreements: agreements, applicationPassword: applicationPassword,
            keeper: stored.hasKeptKey ? keeper : nil)
    }

    /// The values of all fields of an item, to seal them anew.
    ///
    /// - Throws: as ``value(of:_:classKeys:agreements:applicationPassword:keeper:)``.
    package func values(
        of item: ItemSummary, classKeys: ClassKeys, agreements: Agreements = [:],
        applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> [FieldValue] {
        let stored = try read { (snapshot) throws(VaultError) in
            try snapshot.values(of: snapshot.present(item, now: now())).map { (value) throws(VaultError) in
                (value, try snapshot.sealedValue(of: value))
            }
        }
        return try stored.map { (value, sealed) throws(VaultError) in
            FieldValue(
                value.fieldName,
                try open(
                    value, sealed, classKeys: { classKeys }, agreements: agreements,
                    applicationPassword: applicationPassword))
        }
    }

    /// - Parameter keeper: nil for an item whose key must not be kept.
    func open(
        _ stored: ItemValue, _ sealed: [UInt8], classKeys: () -> ClassKeys, agreements: Agreements,
        applicationPassword: StretchedPassword?, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> SecretBytes {
        let slot = try slot(of: stored, agreements, hasPassword: applicationPassword != nil)
        guard applicationPassword.map({ $0.salt == slot.salt }) ?? true else {
            throw VaultError(.changed, "the item was changed meanwhile", advice: "try again")
        }
        let classKey = try classKey(of: slot, stored, classKeys())
        let context = stored.context(in: format.vault)
        if let kept = keeper?.itemKey(of: stored.item.id), kept.opens(stored, in: format.vault) {
            return try opened(sealed, kept.key, stored, context)
        }
        let itemKey = try unwrap(slot, of: stored, classKey, agreements, applicationPassword)
        let value = try opened(sealed, itemKey, stored, context)
        keeper?.keep(ItemKey(itemKey, of: stored, in: format.vault))
        return value
    }

    /// Opens bytes that the tree has vouched for. If they do not open, no other item is concerned.
    private func opened(
        _ sealed: [UInt8], _ key: SecretBytes, _ stored: ItemValue, _ context: FieldContext
    ) throws(VaultError) -> SecretBytes {
        do throws(VaultError) { return try context.open(sealed, key: key) } catch {
            throw error.opening(stored)
        }
    }

    /// The item key of a value without an application password.
    ///
    /// - Parameter agreements: for the points of a guarded value.
    /// - Throws: `.locked` if the class key is missing; `.invalidArgument` if an agreement is missing; `.damaged`.
    func itemKey(
        of stored: ItemValue, classKeys: ClassKeys, agreements: Agreements = [:]
    ) throws(VaultError) -> SecretBytes {
        let slot = try slot(of: stored, agreements, hasPassword: false)
        return try unwrap(slot, of: stored, classKey(of: slot, stored, classKeys), agreements, nil)
    }

    /// The private key of a slot's class. For a slot that another machine has made, it is a receiving key of this device.
    ///
    /// - Throws: `.locked` if the class key is missing.
    private func classKey(
        of slot: Slot, _ stored: ItemValue, _ classKeys: ClassKeys
    ) throws(VaultError) -> X25519.PrivateKey {
        let found =
            if let address = stored.field.address {
                try ReceivingKeys(classKeys, vault: format.vault, address.random)[slot.shape.keyClass]
            } else {
                classKeys[slot.shape.keyClass]
            }
        guard let found else {
            throw .vaultIsLocked
        }
        return found
    }

    private func unwrap(
        _ slot: Slot, of stored: ItemValue, _ classKey: X25519.PrivateKey, _ agreements: Agreements,
        _ applicationPassword: StretchedPassword?
    ) throws(VaultError) -> SecretBytes {
        let context = stored.context(in: format.vault)
        let itemKey: SecretBytes
        do throws(CryptographyError) {
            itemKey = try slot.unwrap(
                classKey: classKey, agreements: slot.points.compactMap { agreements[$0] },
                password: applicationPassword,
                constraintKeys: slot.shape.requirements.roles.map { constraintPoints[$0] ?? [] }, context)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            if slot.shape.requirements.contains(.applicationPassword) {
                throw VaultError(
                    .authenticationFailed, "the application password is wrong, or the item is damaged", cause: error)
            }
            throw stored.field.address == nil
                ? .damaged(
                    "an item's key does not open", of: stored.shownName, stored.part, cause: error)
                : .wronglySealed(cause: error)
        }
        do throws(VaultError) { try stored.field.check(itemKey, context) } catch {
            guard error.code == .damaged, stored.field.address != nil else {
                throw error.opening(stored)
            }
            throw .wronglySealed(cause: error)
        }
        return itemKey
    }

    /// The first way of reading whose requirements are all met.
    private func slot(
        of value: ItemValue, _ agreements: Agreements, hasPassword: Bool
    ) throws(VaultError) -> Slot {
        let slot = value.field.slots.first { slot in
            slot.shape.keyClass != .recovery && slot.points.allSatisfy { agreements[$0] != nil }
                && hasPassword == slot.shape.requirements.contains(.applicationPassword)
        }
        guard let slot else {
            throw VaultError(.invalidArgument, "the item needs: \(value.field.access.requirements.listed)")
        }
        return slot
    }
}

extension VaultError {
    /// What another machine has sealed for this one does not open. That is its fault, and no damage of this vault.
    static func wronglySealed(cause: any Error) -> VaultError {
        VaultError(
            .invalidArgument, "another machine has sealed this value in a way that does not open here",
            advice: "set it again, on any machine", cause: cause)
    }
}

extension Snapshot {
    /// The item that a caller looked at before. The item must have the same version and must not have expired.
    func present(_ summary: ItemSummary, now: UInt64) throws(VaultError) -> StoredItem {
        guard let item = try itemIfPresent(summary.id), item.summary.isStill(summary) else {
            throw VaultError(.changed, "the item was changed or deleted meanwhile", advice: "try again")
        }
        guard !item.summary.metadata.isExpired(at: now) else { throw .expired(item.summary) }
        return item
    }
}

extension VaultError {
    /// What is asked for needs keys that a person's unlock brings.
    static var vaultIsLocked: VaultError {
        VaultError(.locked, "the vault is locked", advice: "open it with: coffer unlock")
    }
}
