import CTSS2
import Cryptography

/// The index that says which boots are approved. Only a signature by its writer's key writes it, and that key is to be
/// sealed under the policy that the index itself holds: who cannot open what it guards can approve nothing either.
extension TPMContext {
    /// Makes an index that approves these boots; ten commands.
    ///
    /// - Parameters:
    ///   - writer: whose signature may approve other boots later. Its key must not lie where the disk can be read.
    ///   - sign: gets `nonce ‖ i32 0 ‖ parameter hash ‖ reference` and returns `r ‖ s`.
    /// - Throws: `.ownerPasswordSet`, `.exhausted`, `.unsupported` (no `TPM2_PolicyAuthorizeNV`), whatever `sign` throws.
    public func definePolicyIndex(
        approving boots: ApprovedBoots, writer: SignedPolicy, under key: borrowing StorageKey,
        sign: (_ message: [UInt8]) throws(TPMError) -> [UInt8]
    ) throws(TPMError) -> PolicyIndexIdentity {
        guard try supportsPolicyIndexes() else {
            throw TPMError(.unsupported, "this TPM cannot keep a policy that is updated; it is older than 2016")
        }
        let session = try startHMACSession(saltedTo: key)
        let index = try define(NVRole.PolicyIndex.self, policy: writer.digest(), password: nil, session)
        session.flush()
        do {
            try write(boots.content(), to: index, writer, under: key, sign: sign)
        } catch {
            // Nobody knows of the index yet, and it is good for nothing. What went wrong first says more than this.
            try? undefine(index)
            throw error
        }
        return index.identity
    }

    /// Approves these boots and no others from now on; six commands. Every earlier list is good for nothing.
    public func approve(
        _ boots: ApprovedBoots, in identity: PolicyIndexIdentity, writer: SignedPolicy,
        under key: borrowing StorageKey, sign: (_ message: [UInt8]) throws(TPMError) -> [UInt8]
    ) throws(TPMError) {
        guard try identity.policy == writer.digest() else {
            throw TPMError(.damaged, "the index of approved boots is another writer's")
        }
        try write(boots.content(), to: index(identity), writer, under: key, sign: sign)
    }

    /// Whether the index approves exactly this list; two commands. Throws `.indexReplaced`.
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

    /// Whether the TPM has `TPM2_PolicyAuthorizeNV`; one command.
    public func supportsPolicyIndexes() throws(TPMError) -> Bool {
        try Capability.has(.policyAuthorizeNV, engine.channel)
    }
}
