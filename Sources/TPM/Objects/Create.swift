import CTSS2
import Cryptography

extension TPMContext {
    /// Seals a secret of 1 to 128 bytes under the storage key. The secret travels encrypted. Takes one command.
    public func seal(
        _ secret: SecretBytes, _ kind: ExpectedObject.Kind, under parent: borrowing StorageKey,
        session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        var sensitive = TPM2B_SENSITIVE_CREATE()
        defer { unsafe wipe(&sensitive, MemoryLayout<TPM2B_SENSITIVE_CREATE>.size) }
        guard (1...128).contains(secret.count) else { throw TPMError(.other, "a TPM seals 1 to 128 bytes") }
        sensitive.sensitive.data.size = UInt16(secret.count)
        unsafe secret.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            unsafe withUnsafeMutableBytes(of: &sensitive.sensitive.data.buffer) { unsafe $0.copyMemory(from: bytes) }
        }
        let template = try kind.template()
        guard template.shape == .sealedData else { throw TPMError(.other, "a secret cannot be sealed as a key") }
        return try create(&sensitive, template, parent, session)
    }

    /// Makes a P-256 key that never leaves the TPM, for `TPM2_ECDH_ZGen` with a signature. Takes one command; rarely more.
    public func makeAgreementKey(
        _ policy: SignedPolicy, under parent: borrowing StorageKey, session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        try makeAgreementKey(.policyAgreementKey(policy), under: parent, session: session)
    }

    /// The same, with a policy of several steps. Takes one command.
    public func makeAgreementKey(
        _ policy: Policy, under parent: borrowing StorageKey, session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        try makeAgreementKey(.guardedAgreementKey(policy), under: parent, session: session)
    }

    /// The same, for any kind of agreement key. Takes one command.
    public func makeAgreementKey(
        _ kind: ExpectedObject.Kind, under parent: borrowing StorageKey, session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        let template = try kind.template()
        guard template.shape == .agreementKey else { throw TPMError(.other, "a key cannot be made as sealed data") }
        return try createKey(template, parent, session) { _ in }
    }

    /// Some TPMs leave out zeros at the start of a coordinate. Such a key's point does not tell its Name. One key in 128
    /// is such a one, and another is made instead.
    ///
    /// - Parameter fill: puts the password in.
    func createKey(
        _ template: PublicArea, _ parent: borrowing StorageKey, _ session: borrowing HMACSession,
        fill: (inout TPM2B_SENSITIVE_CREATE) -> Void
    ) throws(TPMError) -> StoredObject {
        for _ in 0..<Self.attempts {
            var sensitive = TPM2B_SENSITIVE_CREATE()
            defer { unsafe wipe(&sensitive, MemoryLayout<TPM2B_SENSITIVE_CREATE>.size) }
            fill(&sensitive)
            let made = try create(&sensitive, template, parent, session)
            let unique = try PublicArea(marshalled: made.publicArea).unique
            if unique.allSatisfy({ $0.count == 32 }) { return made }
        }
        throw TPMError(.other, "the TPM makes no key whose coordinates have 32 bytes")
    }

    private static var attempts: Int { 8 }

    func create(
        _ sensitive: inout TPM2B_SENSITIVE_CREATE, _ template: PublicArea, _ parent: borrowing StorageKey,
        _ session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        var area = try CStructures.publicArea(template.marshalled)
        var outside = TPM2B_DATA()
        var selection = TPML_PCR_SELECTION()
        var privateArea = ESYSOutput<TPM2B_PRIVATE>()
        var publicArea = ESYSOutput<TPM2B_PUBLIC>()
        try session.set(TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT))
        try engine.check(
            unsafe Esys_Create(
                engine.esys, parent.reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
                &sensitive, &area, &outside, &selection, &privateArea.pointer, &publicArea.pointer, nil, nil, nil),
            .create)
        let made = try unsafe publicArea.value(.create) { (pointer: UnsafePointer<TPM2B_PUBLIC>) throws(TPMError) in
            try unsafe CStructures.bytes(pointer)
        }
        let parsed = try PublicArea(marshalled: made)
        guard parsed.shape == template.shape, parsed.attributes == template.attributes, parsed.policy == template.policy
        else {
            throw TPMError(.other, "the TPM made another object than it was asked for")
        }
        var stored: [UInt8] = []
        stored.append(sized: try privateArea.bytes(.create))
        return StoredObject(publicArea: made, privateArea: stored)
    }
}
