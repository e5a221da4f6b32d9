import Authorization
import Cryptography
import TPM

/// What each object of a vault must be in the TPM, from the registry record alone.
enum TPMObjects {
    /// The stored object of a role, with what it is expected to be. Throws `.damaged` where record or file lack it.
    static func find(
        _ role: ObjectRole, _ objects: SealedObjects, _ record: RegistryRecord
    ) throws(SealerError) -> (StoredObject, ExpectedObject) {
        guard let name = record.objects[role] else {
            throw SealerError(.damaged, "the registry record of \(record.owner) has no \(role) object")
        }
        guard let object = objects[role] else {
            throw SealerError(.damaged, "the vault of \(record.owner) has no \(role) object; restore it from a backup")
        }
        do {
            let kind =
                if role == .unlockRoot, let binding = record.binding {
                    try boundRoot(binding.index, record)
                } else {
                    try kind(of: role, signer: record.authenticatorKey) { record.policyReference(for: $0) }
                }
            return (
                StoredObject(publicArea: object.public, privateArea: object.private),
                ExpectedObject(name: name, kind: kind)
            )
        } catch {
            throw SealerError(error)
        }
    }

    static func kind(
        of role: ObjectRole, signer: [UInt8], reference: (AuthorizationKind) -> PolicyReference
    ) throws(TPMError) -> ExpectedObject.Kind {
        guard let authorization = role.authorization else { return .openData }
        let policy = try policy(signer: signer, reference(authorization))
        return role.isAgreementKey ? .policyAgreementKey(policy) : .policyData(policy)
    }

    /// A bound vault's unlock root: the signature, then the PIN of this index.
    static func boundRoot(_ index: PINIndexPin, _ record: RegistryRecord) throws(TPMError) -> ExpectedObject.Kind {
        let signature = try policy(signer: record.authenticatorKey, record.policyReference(for: .unlock))
        return try .guardedData(Policy(.signed(signature), .pin(identity(of: index))))
    }

    static func identity(of index: PINIndexPin) throws(TPMError) -> PINIndexIdentity {
        guard let handle = NVHandle(rawValue: index.handle) else {
            throw TPMError(.damaged, "the registry names an NV index that is not Coffer's")
        }
        return try PINIndexIdentity(handle: handle, policy: index.policy)
    }

    /// Only a signature by this key for this reference opens the object.
    static func policy(signer: [UInt8], _ reference: PolicyReference) throws(TPMError) -> SignedPolicy {
        let digest: [UInt8]
        do {
            digest = try reference.digest()
        } catch {
            throw TPMError(.other, "a policy reference could not be computed: \(error.reason)")
        }
        return try SignedPolicy(signer: signer, reference: digest)
    }
}

extension SealerError {
    /// The same reason, under the sealer's name for it.
    init(_ error: TPMError) {
        let code: Code =
            switch error.code {
            case .unavailable: .unavailable
            case .replaced: .replaced
            case .lockout: .lockout
            case .policyRefused: .policyRefused
            case .exhausted: .exhausted
            case .deadline: .deadline
            case .damaged: .damaged
            case .wrongPIN: .wrongPIN
            case .triesUsedUp: .triesUsedUp
            case .unsupported: .unsupported
            case .busy: .busy
            case .ownerPasswordSet, .indexReplaced, .bootChanged, .other: .other
            }
        self.init(code, error.reason, tpmCode: error.responseCode)
    }
}
