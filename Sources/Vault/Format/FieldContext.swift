import Authorization
import Cryptography
import Item

/// How a field's value was sealed, and so what it is bound to.
enum FieldSeal: Sendable, Equatable {
    /// As formats 1 and 2 seal values: bound to the vault and to a version.
    case first(version: UInt64)
    /// As format 3 does: bound to the field and to a random revision, and to no vault. So another vault takes the value
    /// as it is.
    case third(RevisionID)

    /// The format's number.
    var format: UInt16 {
        switch self {
        case .first: 1
        case .third: 3
        }
    }
}

/// What a field's value, its slots and the commitment to its key are bound to (docs/vault-format.md, "field").
struct FieldContext: Sendable {
    /// The vault whose keys the slots are for.
    let vault: VaultID
    /// The item that the value was sealed for.
    let item: ItemID
    let field: FieldName
    let access: AccessControl
    let seal: FieldSeal
    /// The name by which a person is asked for the value.
    let name: ItemName
    /// The device that the slots are for, if another machine makes them.
    var address: SlotAddress?

    func seal(_ value: SecretBytes, key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        try AESGCM.seal(
            Padding.add(value, upTo: SizeClass.value(value.count)), key: key, associatedData: bind("org.coffer.value"))
    }

    /// - Throws: `.damaged`, also if the key is not the one that the value was sealed under.
    func open(_ sealed: [UInt8], key: SecretBytes) throws(VaultError) -> SecretBytes {
        let padded: SecretBytes
        do throws(CryptographyError) {
            padded = try AESGCM.open(sealed, key: key, associatedData: bind("org.coffer.value"))
        } catch {
            if error.code == .authenticationFailed { throw .damaged("a value does not open", cause: error) }
            throw VaultError(error)
        }
        return try Padding.remove(padded, "a value", sizeClass: SizeClass.value)
    }

    /// Ties the record to its item key. AES-GCM alone does not: a ciphertext can be made that opens under two keys.
    ///
    /// - Returns: zeros for a value of format 1 or 2, which had none.
    func commitment(to key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        guard case .third = seal else { return FieldRecord.noDigest }
        return try HMACSHA256.code(for: bind("org.coffer.commitment"), key: key)
    }

    /// `context` of docs/vault-format.md, "slot": the info for deriving the slot's key, and the associated data of the
    /// wrapping.
    func bind(_ slot: Slot, for recipients: SlotRecipients) throws(CryptographyError) -> [UInt8] {
        let parts = [slot.prefix, recipients.classKey] + recipients.constraintKeys
        switch seal {
        case .first: return bind("org.coffer.slot") + LengthPrefixed.encode(parts)
        case .third(let revision):
            let owner = address.map { [$0.circle.bytes, $0.device.bytes] } ?? [vault.bytes]
            return bind(
                address == nil ? "org.coffer.slot" : "org.coffer.circle.guarded",
                owner + [
                    item.bytes, field.bytes, revision.bytes, access.encoded,
                    slot.shape.requirements.isEmpty ? [] : try nameDigest(),
                ] + parts)
        }
    }

    /// The name that is asked for. It is part of each slot that needs a person, so that a name which nobody gave who
    /// could read the value opens nothing.
    func nameDigest() throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(
            LengthPrefixed.encode(
                Array("org.coffer.name".utf8), Array(name.service.utf8), Array(name.account.utf8),
                Array(name.itemClass.rawValue.utf8), field.bytes))
    }

    private func bind(_ domain: String) -> [UInt8] {
        switch seal {
        case .first(let version):
            FormatContext(vault: vault).bind(domain, item.bytes, BigEndian.bytes(version), access.encoded)
        case .third(let revision): bind(domain, [item.bytes, field.bytes, revision.bytes, access.encoded])
        }
    }

    private func bind(_ domain: String, _ parts: [[UInt8]]) -> [UInt8] {
        LengthPrefixed.encode([Array(domain.utf8), BigEndian.bytes(seal.format)] + parts)
    }
}
