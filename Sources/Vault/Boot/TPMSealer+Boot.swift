import Authorization
import Cryptography
import TPM

extension BootPin {
    /// The digest of register values, as an ``ApprovedBoot`` has it.
    public func digest(of values: [Int: [UInt8]]) throws(SealerError) -> [UInt8] {
        do throws(TPMError) {
            return try PCRState(selection: PCRSelection(Set(registers)), values: values).digest
        } catch {
            throw SealerError(error)
        }
    }
}

/// Vaults that are tied to the boot: docs/tpm.md, "Measured boot".
extension TPMSealer: BootTie {
    public func tie(
        _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
    ) throws(SealerError) -> ResealedVault {
        let deviceRoot = try openDeviceRoot(objects, record: record)
        return try withStorageKey(of: record) { context, parent throws(TPMError) in
            let selection = try PCRSelection(Set(registers))
            let state = try context.state(of: selection)
            let key = try Self.newApprovingKey()
            let writer = try Self.writer(key.publicKey, record)
            let identity = try context.definePolicyIndex(
                approving: ApprovedBoots([state]), writer: writer, under: parent
            ) { (message) throws(TPMError) in try Self.signature(message, key) }
            do throws(TPMError) {
                guard let index = IndexPin(handle: identity.handle.rawValue, policy: identity.policy),
                    let boot = BootPin(index: index, registers: registers)
                else { throw TPMError(.other, "the TPM's new index has an impossible handle") }
                let secrets = [
                    (ObjectRole.deviceRoot, deviceRoot), (.unlockRoot, roots.unlockRoot), (.recovery, roots.recovery),
                    (.approvingKey, key.rawRepresentation),
                ]
                let list = BootList(inForce: [ApprovedBoot(digest: state.digest, approved: now)])
                return try Self.seal(secrets, record.with(boot: boot, names: [:]), list, context, parent)
            } catch {
                // Nothing refers to the index yet. The first error matters more than a failed removal.
                try? context.undefine(identity)
                throw error
            }
        }
    }

    public func untie(
        _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> ResealedVault {
        let deviceRoot = try openDeviceRoot(objects, record: record)
        return try withStorageKey(of: record) { context, parent throws(TPMError) in
            let secrets = [
                (ObjectRole.deviceRoot, deviceRoot), (.unlockRoot, roots.unlockRoot), (.recovery, roots.recovery),
            ]
            return try Self.seal(secrets, record.with(boot: nil, names: [:]), nil, context, parent)
        }
    }

    /// - Parameters:
    ///   - record: decides what the objects will need.
    ///   - list: nil if there is no boot to approve.
    private static func seal(
        _ secrets: [(ObjectRole, SecretBytes)], _ record: RegistryRecord, _ list: BootList?,
        _ context: borrowing TPMContext, _ parent: borrowing StorageKey
    ) throws(TPMError) -> ResealedVault {
        let session = try context.startHMACSession(saltedTo: parent)
        var objects: [SealedObject] = []
        var names: [ObjectRole: [UInt8]] = [:]
        for (role, secret) in secrets {
            let kind = try TPMObjects.kind(of: role, in: record, binding: record.binding?.index)
            let kept = try keep(secret, as: role, kind, context, parent, session)
            objects.append(kept.object)
            names[role] = kept.name
        }
        if let list { objects.append(list.object) }
        return ResealedVault(objects: objects, names: names, boot: record.boot)
    }

    public func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError) {
        let boot = try Self.boot(of: record)
        try withStorageKey(of: record) { context, parent throws(TPMError) in
            let key = try Self.approvingKey(key)
            let list = try Self.list(boots, boot)
            let identity = try TPMObjects.identity(ofBoots: boot.index)
            try Self.named { () throws(TPMError) in
                try context.approve(
                    list, in: identity, writer: Self.writer(key.publicKey, record), under: parent
                ) { (message) throws(TPMError) in try Self.signature(message, key) }
            }
        }
    }

    public func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding {
        let boot = try Self.boot(of: record)
        do throws(TPMError) {
            let context = try access.open()
            let selection = try PCRSelection(Set(boot.registers))
            let values = try context.measurements(selection)
            let now = try PCRState(selection: selection, values: values).digest
            let identity = try TPMObjects.identity(ofBoots: boot.index)
            var inForce: [ApprovedBoot] = []
            let candidates = Self.candidates(boots) + [[ApprovedBoot(digest: now, approved: 0)]]
            try Self.named { () throws(TPMError) in
                for candidate in candidates where inForce.isEmpty {
                    if try context.approves(Self.list(candidate, boot), in: identity) { inForce = candidate }
                }
            }
            return BootStanding(values: values, now: now, inForce: inForce)
        } catch { throw SealerError(error) }
    }

    public func measurements(of registers: Set<Int>) throws(SealerError) -> [Int: [UInt8]] {
        do throws(TPMError) { return try access.open().measurements(PCRSelection(registers)) } catch {
            throw SealerError(error)
        }
    }

    /// Starts a policy session. If the object is tied to the boot, the session has already shown that the present boot
    /// is approved. This happens before anybody is asked for a signature.
    func startSession(
        for role: ObjectRole, _ objects: SealedObjects, _ record: RegistryRecord, _ context: borrowing TPMContext,
        _ parent: borrowing StorageKey
    ) throws(TPMError) -> PolicySession {
        guard TPMObjects.isTied(role, record), let boot = record.boot else {
            return try context.startPolicySession(saltedTo: parent)
        }
        let list: BootList
        do throws(SealerError) { list = try BootList(objects[.approvedBoots]) } catch {
            throw TPMError(.damaged, error.reason, advice: error.advice)
        }
        let identity = try TPMObjects.identity(ofBoots: boot.index)
        for candidate in Self.candidates(list) {
            if let session = try Self.approved(candidate, boot, identity, context, parent) { return session }
        }
        // A file from before the last approval has another list. The present boot may still be the one approved then.
        let now = ApprovedBoot(digest: try context.state(of: PCRSelection(Set(boot.registers))).digest, approved: 0)
        if let session = try Self.approved([now], boot, identity, context, parent) { return session }
        throw TPMError(
            .bootChanged,
            "the vault is tied to the boot, and this boot was not approved (registers \(Self.words(boot.registers)))",
            advice:
                "start the machine as before and run coffer boot approve; if that is not possible, "
                + RecoveryAdvice.setAsideAnyway
        )
    }

    /// - Returns: nil if the present boot is not in the list, or if the TPM keeps another list.
    private static func approved(
        _ boots: [ApprovedBoot], _ boot: BootPin, _ identity: PolicyIndexIdentity, _ context: borrowing TPMContext,
        _ parent: borrowing StorageKey
    ) throws(TPMError) -> PolicySession? {
        let list = try list(boots, boot)
        let session = try context.startPolicySession(saltedTo: parent)
        do throws(TPMError) {
            try named { () throws(TPMError) in try session.approve(list, by: context.index(identity)) }
        } catch {
            guard error.code == .bootChanged || error.code == .policyRefused else { throw error }
            return nil
        }
        return session
    }

    private static func candidates(_ list: BootList) -> [[ApprovedBoot]] {
        list.next.isEmpty ? [list.inForce] : [list.inForce, list.next]
    }

    /// Reports a missing or replaced index as the index of approved boots.
    private static func named<Value>(_ body: () throws(TPMError) -> Value) throws(TPMError) -> Value {
        do throws(TPMError) { return try body() } catch {
            guard error.code == .indexReplaced else { throw error }
            throw TPMError(
                .approvalsGone,
                "the TPM's record of the approved boots was removed or replaced",
                advice: RecoveryAdvice.setAside,
                responseCode: error.responseCode)
        }
    }

    private static func list(_ boots: [ApprovedBoot], _ boot: BootPin) throws(TPMError) -> ApprovedBoots {
        let selection = try PCRSelection(Set(boot.registers))
        var states: [PCRState] = []
        for approved in boots { states.append(try PCRState(selection: selection, digest: approved.digest)) }
        return try ApprovedBoots(states)
    }

    private static func boot(of record: RegistryRecord) throws(SealerError) -> BootPin {
        guard let boot = record.boot else {
            throw SealerError(.damaged, "the registry does not say what boot the vault of \(record.owner) is tied to")
        }
        return boot
    }

    private static func words(_ registers: [Int]) -> String { registers.map(String.init).joined(separator: ", ") }

    // The approving key

    private static func newApprovingKey() throws(TPMError) -> P256.PrivateKey {
        do throws(CryptographyError) { return try P256.PrivateKey.generate() } catch {
            throw TPMError(.other, "the approving key could not be made: \(error.reason)")
        }
    }

    private static func approvingKey(_ bytes: SecretBytes) throws(TPMError) -> P256.PrivateKey {
        do throws(CryptographyError) { return try P256.PrivateKey(rawRepresentation: bytes) } catch {
            guard error.code == .invalidKey else {
                throw TPMError(.outOfMemory, SealerError.noMemory, advice: SealerError.tryAgain)
            }
            throw TPMError(.damaged, "the approving key cannot be used: \(error.reason)")
        }
    }

    private static func signature(_ message: [UInt8], _ key: P256.PrivateKey) throws(TPMError) -> [UInt8] {
        do throws(CryptographyError) { return try key.signature(for: message) } catch {
            throw TPMError(.other, "the approval could not be signed: \(error.reason)")
        }
    }

    /// The policy for writing a vault's index: only this key, and only for this vault.
    private static func writer(_ publicKey: [UInt8], _ record: RegistryRecord) throws(TPMError) -> SignedPolicy {
        let reference: [UInt8]
        do throws(CryptographyError) {
            reference = try SHA256.digest(
                LengthPrefixed.encode(Array("org.coffer.boot.approve".utf8), record.vault.bytes))
        } catch { throw TPMError(.other, "the policy of an approval could not be computed: \(error.reason)") }
        return try SignedPolicy(signer: publicKey, reference: reference)
    }
}
