import Authorization
import Cryptography
import TPM

/// Bound vaults: docs/tpm.md, "The PIN index".
extension TPMSealer: PasswordBinding {
    /// The allowed number of wrong passwords in a row. PAM has accepted each password tried, so the tries are for
    /// changed passwords, and against attackers who bypass PAM.
    public static let tries: UInt32 = 10

    public func bind(
        _ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> ResealedRoot {
        try withStorageKey(of: record) { context, parent throws(TPMError) in
            let identity = try context.definePINIndex(pin: pin, tries: Self.tries, under: parent)
            do throws(TPMError) {
                guard let index = IndexPin(handle: identity.handle.rawValue, policy: identity.policy) else {
                    throw TPMError(.other, "the TPM's new index has an impossible handle")
                }
                let kind = try TPMObjects.kind(of: .unlockRoot, in: record, binding: index)
                return try Self.seal(unlockRoot, kind, index, context, parent)
            } catch {
                // Nothing refers to the index yet. The first error matters more than a failed removal.
                try? context.undefine(identity)
                throw error
            }
        }
    }

    public func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot {
        try withStorageKey(of: record) { context, parent throws(TPMError) in
            let kind = try TPMObjects.kind(of: .unlockRoot, in: record, binding: nil)
            return try Self.seal(unlockRoot, kind, nil, context, parent)
        }
    }

    private static func seal(
        _ unlockRoot: SecretBytes, _ kind: ExpectedObject.Kind, _ index: IndexPin?,
        _ context: borrowing TPMContext, _ parent: borrowing StorageKey
    ) throws(TPMError) -> ResealedRoot {
        let session = try context.startHMACSession(saltedTo: parent)
        let made = try context.seal(unlockRoot, kind, under: parent, session: session)
        let (object, name) = try TPMObjects.named(.unlockRoot, made)
        return ResealedRoot(object: object, name: name, index: index)
    }
}
