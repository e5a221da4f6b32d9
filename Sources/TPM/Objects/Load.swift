import CTSS2

/// A marshalled `TPM2B_PUBLIC` and `TPM2B_PRIVATE`, as a file stores them.
public struct StoredObject: Sendable, Hashable {
    public let publicArea: [UInt8]
    public let privateArea: [UInt8]

    public init(publicArea: [UInt8], privateArea: [UInt8]) {
        self.publicArea = publicArea
        self.privateArea = privateArea
    }
}

/// What an object must be. The code that loads it computes this, and never reads it from the file.
public struct ExpectedObject: Sendable, Hashable {
    /// 34 bytes.
    public let name: [UInt8]
    public let kind: Kind

    public enum Kind: Sendable, Hashable {
        /// Sealed data that the empty password opens.
        case openData
        /// Sealed data behind a signature.
        case policyData(SignedPolicy)
        /// An agreement key behind a signature.
        case policyAgreementKey(SignedPolicy)
        /// Sealed data behind a policy of several steps.
        case guardedData(Policy)
        /// An agreement key behind a policy of several steps.
        case guardedAgreementKey(Policy)
        /// A signing key behind its own password.
        case passwordSigningKey
        /// A signing key behind a policy of several steps.
        case guardedSigningKey(Policy)

        /// The policy of the signature that opens the object; nil if none is needed.
        public var policy: SignedPolicy? {
            switch self {
            case .openData, .passwordSigningKey: nil
            case .policyData(let policy), .policyAgreementKey(let policy): policy
            case .guardedData(let policy), .guardedAgreementKey(let policy), .guardedSigningKey(let policy):
                policy.signature
            }
        }
    }

    public init(name: [UInt8], kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The object's public area, once it is proved to be the expected one. Takes no command.
    ///
    /// - Throws: `.damaged`.
    public func checked(_ marshalled: [UInt8]) throws(TPMError) -> PublicArea {
        let area = try PublicArea(marshalled: marshalled)
        let expected = try kind.template()
        guard area.shape == expected.shape, area.attributes == expected.attributes, area.policy == expected.policy
        else {
            throw TPMError(
                .damaged,
                "a stored TPM object has other attributes or another policy than its vault's",
                advice: "keep the present file, and restore a backup")
        }
        guard try area.name() == name else {
            throw TPMError(
                .damaged, "a stored TPM object is not the one this vault was made with",
                advice: "keep the present file, and restore a backup")
        }
        return area
    }
}

extension ExpectedObject.Kind {
    /// The public area that `TPM2_Create` is asked to make.
    func template() throws(TPMError) -> PublicArea {
        switch self {
        case .openData: PublicArea(.sealedData, .openData, unique: [[]])
        case .policyData(let policy): PublicArea(.sealedData, .policyData, policy: try policy.digest(), unique: [[]])
        case .policyAgreementKey(let policy):
            PublicArea(.agreementKey, .policyAgreementKey, policy: try policy.digest(), unique: [[], []])
        case .guardedData(let policy): PublicArea(.sealedData, .policyData, policy: try policy.digest(), unique: [[]])
        case .guardedAgreementKey(let policy):
            PublicArea(.agreementKey, .policyAgreementKey, policy: try policy.digest(), unique: [[], []])
        case .passwordSigningKey: PublicArea(.signatureKey, .passwordSigningKey, unique: [[], []])
        case .guardedSigningKey(let policy):
            PublicArea(.signatureKey, .policySigningKey, policy: try policy.digest(), unique: [[], []])
        }
    }
}

extension TPMContext {
    /// Checks sealed data, then loads it. Takes one command.
    ///
    /// - Throws: `.damaged` for an unexpected object, before the TPM sees it.
    public func loadSealedData(
        _ object: StoredObject, _ expected: ExpectedObject, under parent: borrowing StorageKey
    ) throws(TPMError) -> SealedData {
        guard try expected.checked(object.publicArea).shape == .sealedData else {
            throw TPMError(.damaged, "a stored TPM object is a key where sealed data should be")
        }
        return try SealedData(engine, load(object, parent), .load)
    }

    /// Checks an agreement key, then loads it. Takes one command.
    public func loadAgreementKey(
        _ object: StoredObject, _ expected: ExpectedObject, under parent: borrowing StorageKey
    ) throws(TPMError) -> AgreementKey {
        guard try expected.checked(object.publicArea).shape == .agreementKey else {
            throw TPMError(.damaged, "a stored TPM object is sealed data where a key should be")
        }
        return try AgreementKey(engine, load(object, parent), .load)
    }

    /// `TPM2_LoadExternal` of the signer's public key in the NULL hierarchy. Takes one command.
    public func loadVerificationKey(_ policy: SignedPolicy) throws(TPMError) -> VerificationKey {
        var area = try CStructures.publicArea(policy.signerArea.marshalled)
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_LoadExternal(
                engine.esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, &area, ESYS_TR(ESYS_TR_RH_NULL), &reference),
            .loadExternal)
        return try VerificationKey(engine, reference, .loadExternal)
    }

    /// The parent already encrypts and authenticates the private area, so an empty password is enough here.
    func load(_ object: StoredObject, _ parent: borrowing StorageKey) throws(TPMError) -> ESYS_TR {
        try load(object, parent, ESYS_TR_NONE)
    }

    /// The same, as one of the commands that this session's digest covers.
    func load(
        _ object: StoredObject, _ parent: borrowing StorageKey, auditing session: borrowing HMACSession
    ) throws(TPMError) -> ESYS_TR {
        try load(object, parent, session.reference)
    }

    private func load(
        _ object: StoredObject, _ parent: borrowing StorageKey, _ session: ESYS_TR
    ) throws(TPMError) -> ESYS_TR {
        var outer = MarshalledReader(object.privateArea)
        let content = try outer.sized()
        try outer.end()
        var privateArea = try TPM2B_PRIVATE(content: content)
        var publicArea = try CStructures.publicArea(object.publicArea)
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_Load(
                engine.esys, parent.reference, ESYS_TR(ESYS_TR_PASSWORD), session, ESYS_TR_NONE,
                &privateArea, &publicArea, &reference),
            .load)
        return reference
    }
}
