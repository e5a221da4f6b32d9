import Authorization
import Cryptography
import Synchronization
import TPM

/// Uses that the authenticator signs for, in two steps. The first opens the TPM and starts a policy session, whose
/// nonce is to be signed. The second shows the signature to the TPM.
extension TPMSealer {
    public func begin(
        _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> any PendingUse {
        try begin(use, objects, record: record, index: use.role == .unlockRoot ? record.binding?.index : nil)
    }

    /// - Parameter index: counts the tries of the PIN that the use needs; nil if it needs none.
    func begin(
        _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord, index: IndexPin?
    ) throws(SealerError) -> any PendingUse {
        let command = try SignedCommand(use, objects, record, index)
        var isIndexGone = false
        do throws(SealerError) {
            let open = try restoringStorageKey(of: record) { (key) throws(TPMError) in
                try start(command, objects, record, key, &isIndexGone)
            }
            return try TPMPendingUse(open, command, access)
        } catch {
            guard isIndexGone, error.code == .other else { throw error }
            throw SealerError(
                .pinIndexGone,
                "the TPM's index for this vault's password was removed or replaced",
                advice: RecoveryAdvice.saveAndSetAside, tpmCode: error.tpmCode)
        }
    }

    /// Opens the TPM and does all that comes before the signature.
    private func start(
        _ command: SignedCommand, _ objects: SealedObjects, _ record: RegistryRecord, _ key: StorageKeyIdentity,
        _ isIndexGone: inout Bool
    ) throws(TPMError) -> OpenUse {
        let context = try access.open()
        do throws(TPMError) {
            let parent = try context.storageKey(key)
            var index: PINIndex?
            if let identity = command.index {
                do throws(TPMError) { index = try context.index(identity) } catch {
                    isIndexGone = error.code == .indexReplaced
                    throw error
                }
            }
            let verification = try context.loadVerificationKey(command.policy)
            let session = try startSession(for: command.use.role, objects, record, context, parent)
            return OpenUse(
                context: context, parent: parent, index: index, verification: verification, session: session)
        } catch {
            throw context.diagnosed(error, key)
        }
    }
}

/// The one command that the authenticator signs for, computed from the registry record.
private struct SignedCommand: Sendable {
    let use: SignedUse
    let object: StoredObject
    let expected: ExpectedObject
    let policy: SignedPolicy
    let reference: PolicyReference
    /// The hash of the command and its parameters, 32 bytes.
    let parameterHash: [UInt8]
    let generation: GenerationIdentity?
    /// Counts the tries of the PIN that the command needs; nil if it needs none.
    let index: PINIndexIdentity?

    /// - Throws: `.damaged` if record or file lack the object, or if it needs no signature.
    init(
        _ use: SignedUse, _ objects: SealedObjects, _ record: RegistryRecord, _ index: IndexPin?
    ) throws(SealerError) {
        self.use = use
        if case .sign(let key, let point, _, _) = use {
            (object, expected) = try TPMObjects.signingKey(use.role, key, point: point, record)
        } else {
            (object, expected) = try TPMObjects.find(use.role, objects, record)
        }
        guard let authorization = use.role.authorization, let policy = expected.kind.policy else {
            throw SealerError(.damaged, "this object needs no signature")
        }
        self.policy = policy
        reference = record.policyReference(for: authorization)
        do throws(TPMError) {
            parameterHash =
                switch use {
                case .open: try CommandParameterHash.unseal(name: expected.name)
                case .agree(_, let point): try CommandParameterHash.agree(name: expected.name, point: point)
                case .sign(_, _, let digest, _): try CommandParameterHash.sign(name: expected.name, digest: digest)
                }
            generation = try record.generation.map { (pin) throws(TPMError) in try TPMObjects.identity(ofKeys: pin) }
            self.index = try index.map { (pin) throws(TPMError) in try TPMObjects.identity(of: pin) }
        } catch { throw SealerError(error) }
    }
}

/// The TPM, open with a policy session that waits for a signature. When this value goes, the session is flushed and
/// the TPM closed.
private struct OpenUse: ~Copyable {
    let context: TPMContext
    let parent: StorageKey
    let index: PINIndex?
    let verification: VerificationKey
    let session: PolicySession

    /// Shows the signature to the TPM, and uses the object.
    ///
    /// - Parameter triesLeft: set after a wrong PIN, if the number can be read.
    consuming func finish(
        _ command: SignedCommand, _ signature: [UInt8], _ pin: SecretBytes?, _ triesLeft: inout UInt32?
    ) throws(TPMError) -> SecretBytes {
        let hash = command.parameterHash
        do throws(TPMError) {
            try session.authorize(command.policy, by: verification, parameterHash: hash, signature: signature)
            // Flushed before the next object is loaded. A resource manager swaps every transient object at each
            // command.
            verification.flush()
            if let generation = command.generation { try session.show(generation) }
            if let identity = command.index, let index, let pin {
                do throws(TPMError) {
                    try session.authorize(
                        pin: pin, of: index, parameterHash: hash, context.startHMACSession(saltedTo: parent))
                } catch {
                    // The number is shown to the person. The try is used up whether or not it can be read.
                    if error.code == .wrongPIN { triesLeft = try? context.tries(of: identity).left }
                    throw error
                }
            }
            switch command.use {
            case .open:
                let data = try context.loadSealedData(command.object, command.expected, under: parent)
                return try data.unseal(session)
            case .agree(_, let point):
                let key = try context.loadAgreementKey(command.object, command.expected, under: parent)
                return try key.agree(with: point, session)
            case .sign(_, _, let digest, let password):
                try session.requirePassword()
                let key = try context.loadSigningKey(command.object, command.expected, under: parent)
                return try Self.secret(key.sign(digest, password: password, session))
            }
        } catch {
            throw context.diagnosed(error, parent.identity)
        }
    }

    private static func secret(_ signature: [UInt8]) throws(TPMError) -> SecretBytes {
        do throws(CryptographyError) { return try SecretBytes(copying: signature) } catch {
            throw TPMError(.outOfMemory, SealerError.noMemory, advice: SealerError.tryAgain)
        }
    }
}

/// A use that was begun in the TPM.
private final class TPMPendingUse: PendingUse {
    let request: SigningRequest
    private let command: SignedCommand
    private let access: TPMAccess
    private let storageKey: StorageKeyIdentity
    /// nil once the use has ended.
    private let open: Mutex<OpenUse?>

    init(_ open: consuming sending OpenUse, _ command: SignedCommand, _ access: TPMAccess) throws(SealerError) {
        self.command = command
        self.access = access
        storageKey = open.parent.identity
        let nonce: [UInt8]
        do throws(TPMError) { nonce = try open.session.nonce() } catch { throw SealerError(error) }
        guard
            let request = SigningRequest(
                nonce: nonce, parameterHash: command.parameterHash, reference: command.reference)
        else { throw SealerError(.other, "the TPM's nonce is not 32 bytes") }
        self.request = request
        self.open = Mutex(open)
    }

    func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes {
        guard command.index == nil || pin != nil else {
            cancel()
            throw SealerError(.signingRefused, "no password came with the signature")
        }
        var triesLeft: UInt32?
        do throws(TPMError) {
            let secret = try open.withLock { (open) throws(TPMError) -> SecretBytes? in
                // The use has ended from here on, also after an error.
                guard let open = open.take() else { return nil }
                return try open.finish(command, signature, pin, &triesLeft)
            }
            if let secret { return secret }
        } catch {
            let isBack: Bool
            do throws(TPMError) { isBack = try restoresStorageKey(after: error) } catch { throw SealerError(error) }
            guard !isBack else {
                // The signature was for the session that has ended, so there is no second attempt.
                throw SealerError(
                    .other, "the TPM had lost Coffer's storage key, which is back now", advice: "try again")
            }
            let error = SealerError(error)
            throw SealerError(
                error.code, error.reason, advice: error.advice, tpmCode: error.tpmCode, triesLeft: triesLeft)
        }
        throw .useEnded
    }

    func cancel() { open.withLock { $0 = nil } }

    private func restoresStorageKey(after error: TPMError) throws(TPMError) -> Bool {
        guard error.code == .replaced else { return false }
        return try access.open().restoreStorageKey(storageKey)
    }
}
