import CTSS2

/// The pinned facts about a storage key. They suffice to use it without a command, and to notice another key in its
/// place.
public struct StorageKeyIdentity: Sendable, Hashable {
    /// The persistent handle.
    public let handle: UInt32
    /// 34 bytes.
    public let name: [UInt8]
    /// The output of `Esys_TR_Serialize`: handle, Name and public area in TSS's own form.
    public let context: [UInt8]

    public init(handle: UInt32, name: [UInt8], context: [UInt8]) {
        self.handle = handle
        self.name = name
        self.context = context
    }
}

/// The parent of all of Coffer's objects. It is persistent, so it needs no flushing.
public struct StorageKey: ~Copyable {
    let reference: ESYS_TR
    public let identity: StorageKeyIdentity
}

extension TPMContext {
    /// The pinned storage key. Takes no command if TSS can read its serialized form, otherwise one.
    ///
    /// - Throws: `.replaced`.
    public func storageKey(_ identity: StorageKeyIdentity) throws(TPMError) -> StorageKey {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_Deserialize(engine.esys, identity.context, identity.context.count, &reference)
        // Another version of TSS may have another form. Then the TPM is asked, and its answer compared.
        if code != 0 { reference = try publicReference(identity.handle) }
        guard try handle(of: reference) == identity.handle, try name(of: reference) == identity.name else {
            throw TPMError.replaced(responseCode: code)
        }
        return StorageKey(reference: reference, identity: identity)
    }

    /// Checks the storage key after an error. Returns `.replaced` if the key is gone or is another one. Takes at most
    /// one command.
    public func diagnosed(_ error: TPMError, _ identity: StorageKeyIdentity) -> TPMError {
        switch error.code {
        case .unavailable, .deadline, .lockout, .exhausted, .replaced, .ownerPasswordSet, .triesUsedUp, .unsupported,
            .busy, .outOfMemory:
            return error
        case .policyRefused, .damaged, .indexReplaced, .generationEnded, .wrongPIN, .bootChanged, .approvalsGone,
            .other:
            break
        }
        do {
            let found = try PublicRead.storageKey(identity.handle, engine.channel)
            return found == identity.name ? error : .replaced(responseCode: error.responseCode)
        } catch {
            // If the check itself hangs or fails, its error matters more than the first one.
            return error
        }
    }

    /// `Esys_TR_FromTPMPublic`. Takes one command.
    func publicReference(_ handle: UInt32) throws(TPMError) -> ESYS_TR {
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_TR_FromTPMPublic(engine.esys, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference),
            .readPublic)
        return reference
    }

    func name(of reference: ESYS_TR) throws(TPMError) -> [UInt8] {
        var output = ESYSOutput<TPM2B_NAME>()
        try engine.check(unsafe Esys_TR_GetName(engine.esys, reference, &output.pointer), .readPublic)
        return try output.bytes(.readPublic)
    }

    func handle(of reference: ESYS_TR) throws(TPMError) -> UInt32 {
        var handle: UInt32 = 0
        try engine.check(unsafe Esys_TR_GetTpmHandle(engine.esys, reference, &handle), .readPublic)
        return handle
    }
}

extension TPMError {
    static func replaced(responseCode: UInt32 = 0) -> TPMError {
        TPMError(
            .replaced,
            "the TPM was cleared or replaced: it no longer holds the key that this vault was made with",
            advice: RecoveryAdvice.saveAndSetAside,
            responseCode: responseCode)
    }
}

/// Whether a pinned storage key is still at its handle.
public enum StorageKeyStanding: Sendable, Hashable {
    case pinned
    /// There is nothing at its handle.
    case absent
    /// There is another object at its handle.
    case another
}

extension TPMContext {
    /// Checks a storage key's handle. Takes one command, without authorization.
    public func standing(of identity: StorageKeyIdentity) throws(TPMError) -> StorageKeyStanding {
        guard let found = try PublicRead.area(identity.handle, engine.channel) else { return .absent }
        return found.name == identity.name ? .pinned : .another
    }
}
