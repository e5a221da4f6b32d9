import Authorization
import Cryptography
import TPM

/// Computes what each object of a vault must be in the TPM, from the registry record alone.
enum TPMObjects {
    /// A role's object in the file, and its Name in the record.
    ///
    /// - Throws: `.damaged` if either is missing.
    static func stored(
        _ role: ObjectRole, _ objects: SealedObjects, _ record: RegistryRecord
    ) throws(SealerError) -> (SealedObject, name: [UInt8]) {
        guard let name = record.objects[role] else {
            throw SealerError(.damaged, "the registry record of \(record.owner) has no \(role) object")
        }
        guard let object = objects[role] else {
            throw SealerError(
                .damaged, "the vault of \(record.owner) has no \(role) object", advice: "restore it from a backup")
        }
        return (object, name)
    }

    /// An object that the TPM has made for a role, in the file's form, and its Name for the record.
    static func named(
        _ role: ObjectRole, _ made: StoredObject
    ) throws(TPMError) -> (object: SealedObject, name: [UInt8]) {
        (
            SealedObject(role: role, public: made.publicArea, private: made.privateArea),
            try PublicArea(marshalled: made.publicArea).name()
        )
    }

    /// A role's stored object, and what it is expected to be.
    ///
    /// - Throws: `.damaged` if record or file lack it.
    static func find(
        _ role: ObjectRole, _ objects: SealedObjects, _ record: RegistryRecord
    ) throws(SealerError) -> (StoredObject, ExpectedObject) {
        let (object, name) = try stored(role, objects, record)
        do {
            let kind = try kind(of: role, in: record, binding: record.binding?.index)
            return (
                StoredObject(publicArea: object.public, privateArea: object.private),
                ExpectedObject(name: name, kind: kind)
            )
        } catch {
            throw SealerError(error)
        }
    }

    /// A circle's signing key as it is kept, and what it is expected to be. The record has no Name of it, so its point
    /// stands for it.
    ///
    /// - Throws: `.damaged` for a key of another role, point, vault or authenticator.
    static func signingKey(
        _ role: ObjectRole, _ key: SealedObject, point: [UInt8], _ record: RegistryRecord
    ) throws(SealerError) -> (StoredObject, ExpectedObject) {
        guard key.role == role else {
            throw SealerError(.damaged, "a \(key.role) object is where a \(role) object should be")
        }
        do {
            let kind = try kind(of: role, in: record, binding: nil)
            let expected = try ExpectedObject(signingKey: kind, point: point)
            // Before the TPM is opened, and before anybody is asked.
            _ = try expected.checked(key.public)
            return (StoredObject(publicArea: key.public, privateArea: key.private), expected)
        } catch {
            throw SealerError(error)
        }
    }

    /// - Parameter generation: nil for a vault from before there were generations.
    static func kind(
        of role: ObjectRole, signer: [UInt8], _ generation: GenerationPin?,
        reference: (AuthorizationKind) -> PolicyReference
    ) throws(TPMError) -> ExpectedObject.Kind {
        guard let authorization = role.authorization else {
            return role == .streamKey ? .passwordSigningKey : .openData
        }
        let policy = try policy(signer: signer, reference(authorization))
        if role == .membershipKey {
            var steps: [Policy.Step] = [.signed(policy)]
            if let generation { steps.append(.generation(try identity(ofKeys: generation))) }
            return .guardedSigningKey(Policy(steps + [.password]))
        }
        guard let generation else { return role.isAgreementKey ? .policyAgreementKey(policy) : .policyData(policy) }
        let steps = Policy(.signed(policy), .generation(try identity(ofKeys: generation)))
        return role.isAgreementKey ? .guardedAgreementKey(steps) : .guardedData(steps)
    }

    /// The kind of an object in an existing vault. If the vault is tied to the boot, the roots and the approving key
    /// need an approved boot first. In a bound vault, the unlock root needs the signature, then the generation, then
    /// the PIN.
    ///
    /// - Parameter binding: the index that counts the password's tries for the unlock root; nil if there is none.
    static func kind(
        of role: ObjectRole, in record: RegistryRecord, binding: IndexPin?
    ) throws(TPMError) -> ExpectedObject.Kind {
        let boot = isTied(role, record) ? record.boot : nil
        let binding = role == .unlockRoot ? binding : nil
        guard boot != nil || binding != nil else {
            return try kind(of: role, signer: record.authenticatorKey, record.generation) {
                record.policyReference(for: $0)
            }
        }
        var steps: [Policy.Step] = []
        if let boot { steps.append(.approved(try identity(ofBoots: boot.index))) }
        if let authorization = role.authorization {
            let reference = record.policyReference(for: authorization)
            steps.append(.signed(try policy(signer: record.authenticatorKey, reference)))
            if let generation = record.generation { steps.append(.generation(try identity(ofKeys: generation))) }
        }
        if let binding { steps.append(.pin(try identity(of: binding))) }
        return .guardedData(Policy(steps))
    }

    /// Whether the object opens only under an approved boot.
    static func isTied(_ role: ObjectRole, _ record: RegistryRecord) -> Bool {
        record.boot != nil && (role == .approvingKey || ObjectRole.tiedToBoot.contains(role))
    }

    static func identity(ofBoots index: IndexPin) throws(TPMError) -> PolicyIndexIdentity {
        try PolicyIndexIdentity(handle: handle(index), policy: index.policy)
    }

    static func identity(ofKeys generation: GenerationPin) throws(TPMError) -> GenerationIdentity {
        try GenerationIdentity(handle: handle(generation), policy: generation.policy)
    }

    private static func handle(_ index: IndexPin) throws(TPMError) -> NVHandle {
        guard let handle = NVHandle(rawValue: index.handle) else {
            throw TPMError(.damaged, "the registry names an NV index that is not Coffer's")
        }
        return handle
    }

    static func identity(of index: IndexPin) throws(TPMError) -> PINIndexIdentity {
        try PINIndexIdentity(handle: handle(index), policy: index.policy)
    }

    /// The policy that only a signature by this key, for this reference, can satisfy.
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
    /// Translates an error of the TPM. Its words stay the same.
    public init(_ error: TPMError) {
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
            case .bootChanged: .bootNotApproved
            case .approvalsGone: .bootIndexGone
            case .unsupported: .unsupported
            case .generationEnded: .keysRenewed
            case .busy: .busy
            case .outOfMemory: .outOfMemory
            case .ownerPasswordSet, .indexReplaced, .other: .other
            }
        self.init(code, error.reason, advice: error.advice, tpmCode: error.responseCode)
    }
}
