import Authorization
import Cryptography
import TPM

/// The device root, which opens without asking anybody. It is usually a credential, which takes the fewest commands to
/// open. It is sealed data in earlier vaults, with a TPM that makes no such credential, and in a vault that is tied to
/// the boot. The last is so because a credential has no policy (docs/vault-format.md, "object").
extension TPMSealer {
    public func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes {
        let stored = try StoredDeviceRoot(objects, record)
        return try perform(record) { context, parent throws(TPMError) in
            if record.boot != nil {
                return try stored.open(
                    context, parent, startSession(for: .deviceRoot, objects, record, context, parent))
            }
            return try stored.open(context, parent, context.startHMACSession(saltedTo: parent))
        }
    }

    /// Gives a secret of a vault to the TPM. If opening it asks nobody and the TPM can make a credential, it becomes a
    /// credential. Otherwise it becomes sealed data.
    static func keep(
        _ secret: SecretBytes, as role: ObjectRole, _ kind: ExpectedObject.Kind, _ context: borrowing TPMContext,
        _ parent: borrowing StorageKey, _ session: borrowing HMACSession
    ) throws(TPMError) -> (object: SealedObject, name: [UInt8]) {
        if kind == .openData, let credential = try context.makeCredential(secret, of: parent, session: session) {
            let object = SealedObject(role: role, public: credential.encryptedSecret, private: credential.idObject)
            return (object, try credential.name())
        }
        return try TPMObjects.named(role, context.seal(secret, kind, under: parent, session: session))
    }
}

/// A device root as a vault's file has it. The registry record decides which form it has.
enum StoredDeviceRoot {
    case credential(StoredCredential, name: [UInt8])
    case sealedData(StoredObject, ExpectedObject)

    /// - Throws: `.damaged` if record or file lack it.
    init(_ objects: SealedObjects, _ record: RegistryRecord) throws(SealerError) {
        let (object, name) = try TPMObjects.stored(.deviceRoot, objects, record)
        if record.boot == nil, StoredCredential.isName(name) {
            self = .credential(
                StoredCredential(encryptedSecret: object.public, idObject: object.private), name: name)
        } else {
            let (stored, expected) = try TPMObjects.find(.deviceRoot, objects, record)
            self = .sealedData(stored, expected)
        }
    }

    /// Opens it by its policy. Ends the session.
    func open(
        _ context: borrowing TPMContext, _ parent: borrowing StorageKey, _ session: consuming PolicySession
    ) throws(TPMError) -> SecretBytes {
        guard case .sealedData(let object, let expected) = self else {
            throw TPMError(.damaged, "the vault is tied to the boot, but its device root is not")
        }
        return try context.loadSealedData(object, expected, under: parent).unseal(session)
    }

    /// Opens it by the empty password. Ends the session.
    func open(
        _ context: borrowing TPMContext, _ parent: borrowing StorageKey, _ session: consuming HMACSession
    ) throws(TPMError) -> SecretBytes {
        switch self {
        case .credential(let credential, let name):
            return try context.openCredential(credential, name: name, of: parent, session)
        case .sealedData(let object, let expected):
            return try context.loadSealedData(object, expected, under: parent).unseal(session)
        }
    }

    /// Opens it by the empty password. Keeps the session.
    func open(
        _ context: borrowing TPMContext, _ parent: borrowing StorageKey, keeping session: borrowing HMACSession
    ) throws(TPMError) -> SecretBytes {
        switch self {
        case .credential(let credential, let name):
            return try context.openCredential(credential, name: name, of: parent, keeping: session)
        case .sealedData(let object, let expected):
            return try context.loadSealedData(object, expected, under: parent).unseal(keeping: session)
        }
    }
}
