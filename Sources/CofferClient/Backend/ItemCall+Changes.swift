import BrokerProtocol
import Platform

// Calls that change items.

/// What storing an item did.
package struct SetOutcome: Sendable {
    package let attributes: ItemAttributes
    /// When the value that was replaced had been set; nil if there was none.
    package let replaced: Moment?
    /// Whether the vault keeps the value that was replaced.
    package let keepsFormer: Bool
}

extension ItemCall where Method == BrokerProtocol.Keychain.Set, Answer == SetOutcome {
    /// - Throws: `.invalidArgument` for an access control that contradicts itself.
    package static func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition
    ) throws(KeychainError) -> Self {
        Self(
            Wire.Set(
                service: name.service, account: name.account, kind: name.wireKind,
                field: item.wireField, fieldKind: item.fieldKind, value: Base64.encode(item.value),
                access: try item.wireAccess, label: item.label,
                comment: item.comment, attributes: item.attributes, expires: item.expires?.milliseconds(now: .now),
                mode: condition.mode, ifRevision: condition.revision,
                applicationPassword: item.applicationPassword.map(Base64.encode))
        ) { reply throws(KeychainError) in
            SetOutcome(
                attributes: try ItemAttributes(reply.item), replaced: reply.replaced.map(Moment.init(milliseconds:)),
                keepsFormer: reply.former != nil)
        }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Apply, Answer == [ChangeOutcome] {
    /// - Throws: `.invalidArgument` for a condition or an access control that is not possible, `.limitExceeded` for what
    ///   the broker does not take.
    package static func apply(
        _ changes: [ItemChange], protection: RollbackProtection = .soon
    ) throws(KeychainError) -> Self {
        let now = Moment.now
        var wire: [Wire.Change] = []
        for change in changes { wire.append(try Wire.Change(change, now: now)) }
        // A broker that refuses a message for its length ends the connection, and the next call would find it ending.
        let values = wire.reduce(0) { $0 + ($1.value?.utf8.count ?? 0) }
        if values > MessageSize.small, try !MessageSize.fits(wire) { throw MessageSize.tooLong(wire.count) }
        let deletes = changes.map { change in if case .delete = change.action { true } else { false } }
        return Self(Wire.Apply(changes: wire, rollback: protection == .later ? .later : nil)) {
            reply throws(KeychainError) in
            guard reply.results.count == deletes.count else {
                throw KeychainError(
                    .protocolViolation, "the broker gave another number of results",
                    advice: "install coffer and cofferd of the same version")
            }
            return zip(deletes, reply.results).map { deletes, result in
                guard !deletes else { return ChangeOutcome(existedBefore: result.deleted > 0) }
                let version = result.version.map(Int.init(clamping:))
                // A field that is added replaces no value, and the item's number tells that the item was there.
                return ChangeOutcome(
                    version: version, revision: result.revision,
                    existedBefore: result.replaced != nil || version ?? 1 > 1)
            }
        }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Edit, Answer == ItemAttributes {
    /// Changes an item without its value.
    /// - Parameter condition: `.isUnchanged`, or none. A change of access takes none.
    /// - Throws: `.invalidArgument` for an access control that contradicts itself.
    package static func edit(
        _ name: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition = .none
    ) throws(KeychainError) -> Self {
        Self(
            Wire.Edit(
                service: name.service, account: name.account, kind: name.wireKind, access: try edit.access?.checked,
                label: edit.label, comment: edit.comment, attributes: edit.attributes,
                expires: edit.expires?.milliseconds(now: .now),
                unset: edit.removedFields.isEmpty ? nil : edit.removedFields.map(\.text),
                ifRevision: condition.revision, reason: request.reason, unlock: request.mayUnlock,
                applicationPassword: request.applicationPassword.map(Base64.encode),
                newApplicationPassword: edit.newApplicationPassword.map(Base64.encode))
        ) { reply throws(KeychainError) in try ItemAttributes(reply.item) }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Rename, Answer == ItemAttributes {
    package static func rename(_ name: ItemName, to new: ItemName, _ request: ReadRequest) -> Self {
        Self(
            Wire.Rename(
                service: name.service, account: name.account, kind: name.wireKind, newService: new.service,
                newAccount: new.account, reason: request.reason, unlock: request.mayUnlock,
                applicationPassword: request.applicationPassword.map(Base64.encode))
        ) { reply throws(KeychainError) in try ItemAttributes(reply.item) }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Restore, Answer == ItemAttributes {
    /// Makes a former value the present one.
    package static func restore(_ name: ItemName, version: Int, _ request: ReadRequest) -> Self {
        Self(
            Wire.Restore(
                service: name.service, account: name.account, kind: name.wireKind, version: Int64(version),
                reason: request.reason, unlock: request.mayUnlock,
                applicationPassword: request.applicationPassword.map(Base64.encode))
        ) { reply throws(KeychainError) in try ItemAttributes(reply.item) }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Rotate, Answer == ItemAttributes {
    /// Renews an item's key.
    package static func rotate(_ name: PartialName, _ request: ReadRequest) -> Self {
        Self(
            Wire.Rotate(
                service: name.service, account: name.account, kind: name.kind, unlock: request.mayUnlock)
        ) { reply throws(KeychainError) in try ItemAttributes(reply.item) }
    }
}

/// What deleting an item did.
package struct DeletedItem: Sendable {
    package let attributes: ItemAttributes
    /// Whether an older copy of the vault's file can no longer bring the item back.
    package let isProtected: Bool
    /// Until when the bin keeps the item; nil if it is gone for good.
    package let keptUntil: Moment?
}

extension ItemCall where Method == BrokerProtocol.Keychain.Delete, Answer == DeletedItem {
    /// Puts an item into the bin, or deletes it for good if the vault has none.
    package static func putAside(_ name: ItemName) -> Self {
        delete(Wire.Delete(service: name.service, account: name.account, kind: name.wireKind, bin: true))
    }

    /// Deletes an item for good.
    package static func delete(_ name: ItemName) -> Self {
        delete(Wire.Delete(service: name.service, account: name.account, kind: name.wireKind))
    }

    /// Deletes for good all items of this name that are in the bin.
    package static func deleteFromBin(_ name: ItemName) -> Self {
        delete(Wire.Delete(service: name.service, account: name.account, kind: name.wireKind, inBin: true))
    }

    private static func delete(_ method: Wire.Delete) -> Self {
        Self(method) { reply throws(KeychainError) in
            DeletedItem(
                attributes: try ItemAttributes(reply.item), isProtected: reply.protected ?? true,
                keptUntil: reply.until.map(Moment.init(milliseconds:)))
        }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.RestoreDeleted, Answer == ItemAttributes {
    /// Takes an item out of the bin.
    package static func restoreDeleted(_ name: ItemName) -> Self {
        Self(Wire.RestoreDeleted(service: name.service, account: name.account, kind: name.wireKind)) {
            reply throws(KeychainError) in try ItemAttributes(reply.item)
        }
    }
}
