import Authorization
import Cryptography

/// The public keys that a slot is made for.
struct SlotRecipients: Sendable {
    /// The X25519 key of the slot's class.
    let classKey: [UInt8]
    /// The P-256 key of each constraint that has one, in order.
    let constraintKeys: [[UInt8]]
}

extension Slot {
    /// Wraps an item's key. Needs public keys only.
    static func wrap(
        _ itemKey: SecretBytes, _ shape: Shape, for recipients: SlotRecipients, password: StretchedPassword?,
        _ context: ItemContext
    ) throws(CryptographyError) -> Slot {
        let ephemeral = try X25519.PrivateKey.generate()
        var secrets = [try ephemeral.sharedSecret(with: recipients.classKey)]
        var points: [[UInt8]] = []
        for key in recipients.constraintKeys {
            let point = try P256.PrivateKey.generate()
            secrets.append(try point.sharedSecret(with: key))
            points.append(point.publicKey)
        }
        var salt: [UInt8] = []
        if shape.constraints.contains(.applicationPassword) {
            let password = try given(password)
            salt = password.salt
            secrets.append(password.key)
        }
        let open = Slot(shape: shape, ephemeral: ephemeral.publicKey, points: points, salt: salt, wrappedKey: [])
        let bound = open.bound(recipients, context)
        let wrapped = try AESGCM.seal(itemKey, key: slotKey(secrets, bound), associatedData: bound)
        return Slot(shape: shape, ephemeral: ephemeral.publicKey, points: points, salt: salt, wrappedKey: wrapped)
    }

    /// Unwraps the item's key.
    ///
    /// - Parameter agreements: the shared secret of each constraint key, in order.
    /// - Throws: `.authenticationFailed` if anything differs from what was wrapped.
    func unwrap(
        classKey: X25519.PrivateKey, agreements: [SecretBytes], password: StretchedPassword?, constraintKeys: [[UInt8]],
        _ context: ItemContext
    ) throws(CryptographyError) -> SecretBytes {
        var secrets = [try classKey.sharedSecret(with: ephemeral)] + agreements
        if shape.constraints.contains(.applicationPassword) {
            secrets.append(try Self.given(password).key)
        }
        let bound = bound(SlotRecipients(classKey: classKey.publicKey, constraintKeys: constraintKeys), context)
        return try AESGCM.open(wrappedKey, key: Self.slotKey(secrets, bound), associatedData: bound)
    }

    /// `context` of docs/vault-format.md: the info for deriving the slot's key, and the associated data of the
    /// wrapping.
    private func bound(_ recipients: SlotRecipients, _ context: ItemContext) -> [UInt8] {
        context.bind("org.coffer.slot", [prefix, recipients.classKey] + recipients.constraintKeys)
    }

    private static func slotKey(_ secrets: [SecretBytes], _ bound: [UInt8]) throws(CryptographyError) -> SecretBytes {
        var parts: [SecretBytes] = []
        for secret in secrets {
            parts.append(try SecretBytes(copying: BigEndian.bytes(UInt32(secret.count))))
            parts.append(secret)
        }
        return try HKDF.derive(.concatenating(parts), salt: [], info: bound, count: AESGCM.keyCount)
    }

    private static func given(_ password: StretchedPassword?) throws(CryptographyError) -> StretchedPassword {
        guard let password else {
            throw CryptographyError(code: .invalidKey, reason: "an application password is needed")
        }
        return password
    }
}
