import Authorization
import Cryptography
import TPM

/// Bound vaults: docs/tpm.md, "The PIN index".
extension TPMSealer {
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

    public func openBound(
        _ objects: SealedObjects, record: RegistryRecord,
        prove: (SigningRequest) throws(SigningRefusal) -> BoundProof
    ) throws(SealerError) -> SecretBytes {
        guard let binding = record.binding else {
            throw SealerError(.damaged, "the registry does not say what password the vault of \(record.owner) has")
        }
        let (object, expected) = try TPMObjects.find(.unlockRoot, objects, record)
        var left: UInt32?
        var isIndexGone = false
        do throws(SealerError) {
            return try perform(record) { context, parent, refusal throws(TPMError) in
                let identity: PINIndexIdentity = try TPMObjects.identity(of: binding.index)
                let index: PINIndex
                do throws(TPMError) { index = try context.index(identity) } catch {
                    isIndexGone = error.code == .indexReplaced
                    throw error
                }
                let hash = try CommandParameterHash.unseal(name: expected.name)
                var pin: SecretBytes?
                func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
                    let proof = try prove(request)
                    guard let given = proof.pin else { throw SigningRefusal("no password came with the signature") }
                    pin = given
                    return proof.signature
                }
                let session = try authorized(
                    expected, hash, .unlockRoot, objects, record, context, parent, sign, &refusal)
                guard let pin else { throw TPMError(.policyRefused, "no password was given") }
                do throws(TPMError) {
                    try session.authorize(
                        pin: pin, of: index, parameterHash: hash, context.startHMACSession(saltedTo: parent))
                } catch {
                    // The number is shown to the person. The try is used up whether or not it can be read.
                    if error.code == .wrongPIN { left = try? context.tries(of: identity).left }
                    throw error
                }
                let data = try context.loadSealedData(object, expected, under: parent)
                return try data.unseal(session)
            }
        } catch {
            throw error.ofBoundVault(triesLeft: left, isIndexGone: isIndexGone)
        }
    }

    public func removeIndex(_ index: VaultIndex) throws(SealerError) {
        do throws(TPMError) {
            switch index {
            case .password(let pin): try access.open().undefine(TPMObjects.identity(of: pin))
            case .boots(let pin): try access.open().undefine(TPMObjects.identity(ofBoots: pin))
            }
        } catch { throw SealerError(error) }
    }

    public func endGeneration(_ generation: GenerationPin) throws(SealerError) {
        do throws(TPMError) {
            try access.open().undefine(TPMObjects.identity(ofKeys: generation))
        } catch { throw SealerError(error) }
    }

    public func name(of object: SealedObject) throws(SealerError) -> [UInt8] {
        do throws(TPMError) { return try PublicArea(marshalled: object.public).name() } catch {
            throw SealerError(error)
        }
    }
}

extension SealerError {
    /// The same error, with what was learnt about the index.
    fileprivate func ofBoundVault(triesLeft: UInt32?, isIndexGone: Bool) -> SealerError {
        if isIndexGone, code == .other {
            return SealerError(
                .pinIndexGone,
                "the TPM's index for this vault's password was removed or replaced",
                advice: "restore the secrets with the recovery code: coffer recovery restore",
                tpmCode: tpmCode)
        }
        return code == .wrongPIN ? SealerError(code, reason, tpmCode: tpmCode, triesLeft: triesLeft) : self
    }
}
