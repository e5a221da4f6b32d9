import Authorization
import Cryptography
import TPM

/// The keys with which a device of a circle signs.
extension TPMSealer {
    public func makeSigningKeys(
        streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> SigningKeyPair {
        try SigningPassword.check(streamPassword, membershipPassword)
        return try perform(record) { context, parent throws(TPMError) in
            let session = try context.startHMACSession(saltedTo: parent)
            let stream = try Self.make(.streamKey, streamPassword, record, context, parent, session)
            let membership = try Self.make(.membershipKey, membershipPassword, record, context, parent, session)
            return SigningKeyPair(
                stream: stream.key, streamPoint: stream.point, membership: membership.key,
                membershipPoint: membership.point)
        }
    }

    private static func make(
        _ role: ObjectRole, _ password: SecretBytes, _ record: RegistryRecord, _ context: borrowing TPMContext,
        _ parent: borrowing StorageKey, _ session: borrowing HMACSession
    ) throws(TPMError) -> (key: SealedObject, point: [UInt8]) {
        let kind = try TPMObjects.kind(of: role, in: record, binding: nil)
        let made = try context.makeSigningKey(kind, password: password, under: parent, session: session)
        return (try TPMObjects.named(role, made).object, try PublicArea(marshalled: made.publicArea).point())
    }

    public func sign(
        _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> [UInt8] {
        let (object, expected) = try TPMObjects.signingKey(.streamKey, key, point: point, record)
        return try perform(record) { context, parent throws(TPMError) in
            let session = try context.startHMACSession(saltedTo: parent)
            let key = try context.loadSigningKey(object, expected, under: parent)
            return try key.sign(digest, password: password, session)
        }
    }
}

/// The passwords of signing keys. They are keys, which nobody types and nobody guesses.
enum SigningPassword {
    static let count = 32

    /// - Throws: `.other` for a password of another length. A short one could be guessed, because nobody counts tries.
    static func check(_ passwords: SecretBytes...) throws(SealerError) {
        guard passwords.allSatisfy({ $0.count == count }) else {
            throw SealerError(.other, "the password of a signing key has \(count) bytes")
        }
    }
}
