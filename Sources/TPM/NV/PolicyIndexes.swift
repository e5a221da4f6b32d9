import CTSS2
import Cryptography

/// The index of the approved boots. Only a signature by its writer's key can write it. That key must be sealed under
/// the policy that the index itself holds, so nobody can approve boots without opening what the index guards.
extension TPMContext {
    /// Makes an index that approves these boots. Takes ten commands.
    ///
    /// - Parameters:
    ///   - writer: the key that may approve other boots later. It must not be stored anywhere that can be read from the
    ///     disk.
    ///   - sign: gets `nonce ‖ i32 0 ‖ parameter hash ‖ reference` and returns `r ‖ s`.
    /// - Throws: `.ownerPasswordSet`, `.exhausted`, `.unsupported` (no `TPM2_PolicyAuthorizeNV`), any error of `sign`.
    public func definePolicyIndex(
        approving boots: ApprovedBoots, writer: SignedPolicy, under key: borrowing StorageKey,
        sign: (_ message: [UInt8]) throws(TPMError) -> [UInt8]
    ) throws(TPMError) -> PolicyIndexIdentity {
        guard try supportsPolicyIndexes() else {
            throw TPMError(.unsupported, "this TPM is older than 2016, so it cannot keep a policy that is updated")
        }
        let session = try startHMACSession(saltedTo: key)
        let index = try define(NVRole.PolicyIndex.self, policy: writer.digest(), password: nil, session)
        session.flush()
        do {
            try write(boots.content(), to: index, writer, under: key, sign: sign)
        } catch {
            // Nothing refers to the index yet, and it is useless. The first error matters more than a failed removal.
            try? undefine(index)
            throw error
        }
        return index.identity
    }

    /// Approves these boots and no others from now on. Every earlier list stops working. Takes six commands.
    public func approve(
        _ boots: ApprovedBoots, in identity: PolicyIndexIdentity, writer: SignedPolicy,
        under key: borrowing StorageKey, sign: (_ message: [UInt8]) throws(TPMError) -> [UInt8]
    ) throws(TPMError) {
        guard try identity.policy == writer.digest() else {
            throw TPMError(.damaged, "the index of approved boots belongs to another writer")
        }
        try write(boots.content(), to: index(identity), writer, under: key, sign: sign)
    }

    /// Whether the index approves exactly this list. Takes two commands.
    ///
    /// - Throws: `.indexReplaced`.
    public func approves(_ boots: ApprovedBoots, in identity: PolicyIndexIdentity) throws(TPMError) -> Bool {
        let index = try index(identity)
        var output = ESYSOutput<TPM2B_MAX_NV_BUFFER>()
        try engine.check(
            unsafe Esys_NV_Read(
                engine.esys, index.reference, index.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
                NVRole.PolicyIndex.size, 0, &output.pointer),
            .nvRead)
        return try output.bytes(.nvRead) == boots.content()
    }

    /// Whether the TPM has `TPM2_PolicyAuthorizeNV`. Takes one command.
    public func supportsPolicyIndexes() throws(TPMError) -> Bool {
        try Capability.has(.policyAuthorizeNV, engine.channel)
    }
}
