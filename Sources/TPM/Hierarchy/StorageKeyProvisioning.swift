import CTSS2

extension TPMContext {
    /// The handle that TCG's convention gives to the platform's storage key. If it is empty, Coffer leaves it to the
    /// platform.
    static let sharedHandle: UInt32 = 0x8100_0001
    /// The handles for Coffer's own storage key, if the shared one does not fit.
    static let ownHandles: ClosedRange<UInt32> = 0x8100_0002...0x8100_000F

    /// Finds the storage key or makes one, for a new vault. Takes about ten commands, which can take a TPM seconds.
    ///
    /// A key that is already there must meet three conditions. Its public area is a storage key's. Its Name is the one
    /// that the TPM derives from the template now. It opens with an empty password.
    public func provisionStorageKey() throws(TPMError) -> StorageKey {
        let present = Set(try Capability.handles(.persistent, engine.channel))
        for unique in Self.uniqueForms {
            let primary = try createPrimary(unique)
            let derived = try name(of: primary.reference)
            for handle in [Self.sharedHandle] + Self.ownHandles where present.contains(handle) {
                guard try PublicRead.storageKey(handle, engine.channel) == derived else { continue }
                let reference = try publicReference(handle)
                guard try name(of: reference) == derived, try opensWithoutPassword(reference) else { continue }
                return try pinned(reference)
            }
        }
        guard let free = Self.ownHandles.first(where: { !present.contains($0) }) else {
            throw TPMError(
                .exhausted,
                "no persistent handle is free for a storage key (0x81000002 to 0x8100000F)",
                advice:
                    "to see what they are: tpm2_getcap handles-persistent; have root find out which programs they belong to"
            )
        }
        let primary = try createPrimary(Self.uniqueForms[0])
        var reference = ESYS_TR(ESYS_TR_NONE)
        try checkOwner(
            unsafe Esys_EvictControl(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), primary.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
                ESYS_TR_NONE, free, &reference),
            .evictControl)
        guard try name(of: reference) == name(of: primary.reference) else {
            throw TPMError(.other, "the TPM kept another key than the one it was given")
        }
        return try pinned(reference)
    }

    /// Puts an evicted storage key back under its handle, if the TPM still derives the pinned key from its seed. Takes
    /// about four commands.
    ///
    /// - Returns: false if the TPM derives another key, because it was cleared or is another TPM. Also false if
    ///   something else is under the handle.
    /// - Throws: `.ownerPasswordSet`, because nothing can be put back then.
    public func restoreStorageKey(_ identity: StorageKeyIdentity) throws(TPMError) -> Bool {
        guard identity.handle == Self.sharedHandle || Self.ownHandles.contains(identity.handle),
            try PublicRead.area(identity.handle, engine.channel) == nil
        else { return false }
        for unique in Self.uniqueForms {
            let primary = try createPrimary(unique)
            guard try name(of: primary.reference) == identity.name else { continue }
            var reference = ESYS_TR(ESYS_TR_NONE)
            try checkOwner(
                unsafe Esys_EvictControl(
                    engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), primary.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
                    ESYS_TR_NONE, identity.handle, &reference),
                .evictControl)
            return true
        }
        return false
    }

    /// The template's unique field is empty on Linux, and two times 32 zeros on Windows. Another field gives another
    /// key.
    private static var uniqueForms: [[[UInt8]]] {
        [[[], []], [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)]]
    }

    private func createPrimary(_ unique: [[UInt8]]) throws(TPMError) -> PrimaryKey {
        let template = PublicArea(.storageKey, .storageKey, unique: unique)
        var area = try CStructures.publicArea(template.marshalled)
        var sensitive = TPM2B_SENSITIVE_CREATE()
        var outside = TPM2B_DATA()
        var selection = TPML_PCR_SELECTION()
        var reference = ESYS_TR(ESYS_TR_NONE)
        try checkOwner(
            unsafe Esys_CreatePrimary(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
                &sensitive, &area, &outside, &selection, &reference, nil, nil, nil, nil),
            .createPrimary)
        return try PrimaryKey(engine, reference, .createPrimary)
    }

    /// A Name does not cover the password. Only using the key shows whether it has one.
    private func opensWithoutPassword(_ reference: ESYS_TR) throws(TPMError) -> Bool {
        var area = try CStructures.publicArea(ExpectedObject.Kind.openData.template().marshalled)
        var sensitive = TPM2B_SENSITIVE_CREATE()
        sensitive.sensitive.data.size = 1
        var outside = TPM2B_DATA()
        var selection = TPML_PCR_SELECTION()
        let code = unsafe Esys_Create(
            engine.esys, reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
            &sensitive, &area, &outside, &selection, nil, nil, nil, nil, nil)
        let base = ResponseCode(code).base
        if base == ResponseCode.badAuthorization || base == ResponseCode.authorizationFailed { return false }
        try engine.check(code, .create)
        return true
    }

    private func pinned(_ reference: ESYS_TR) throws(TPMError) -> StorageKey {
        var output = ESYSOutput<UInt8>()
        var size = 0
        try engine.check(unsafe Esys_TR_Serialize(engine.esys, reference, &output.pointer, &size), .readPublic)
        let context = try unsafe output.value(.readPublic) { (pointer: UnsafePointer<UInt8>) throws(TPMError) in
            unsafe [UInt8](UnsafeBufferPointer(start: pointer, count: size))
        }
        let identity = StorageKeyIdentity(
            handle: try handle(of: reference), name: try name(of: reference), context: context)
        return StorageKey(reference: reference, identity: identity)
    }
}
