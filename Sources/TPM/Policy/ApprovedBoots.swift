/// The boots under which something may be opened, such as the present one and the one after an update. An NV index
/// holds the digest of exactly this list. Approving another list means writing the index, and then the earlier list no
/// longer works.
public struct ApprovedBoots: Sendable, Hashable {
    /// One to eight, in the order in which they are tried.
    public let alternatives: [PCRState]

    /// - Throws: `.damaged` for an empty list, for more than eight boots, and for duplicates.
    public init(_ alternatives: [PCRState]) throws(TPMError) {
        guard (1...8).contains(alternatives.count), Set(alternatives).count == alternatives.count else {
            throw TPMError(.damaged, "one to eight different boots can be approved")
        }
        self.alternatives = alternatives
    }

    /// The policyDigest after one of the boots was shown, 32 bytes.
    public func digest() throws(TPMError) -> [UInt8] {
        guard alternatives.count > 1 else { return try Policy(.measured(alternatives[0])).digest() }
        return try Policy(.alternatives(digests())).digest()
    }

    func digests() throws(TPMError) -> [[UInt8]] {
        var digests: [[UInt8]] = []
        for state in alternatives { digests.append(try Policy(.measured(state)).digest()) }
        return digests
    }

    /// The index's content: `TPMT_HA`, which is `u16 TPM_ALG_SHA256 ‖ digest`, 34 bytes.
    func content() throws(TPMError) -> [UInt8] {
        var content: [UInt8] = []
        content.append(PublicArea.nameAlgorithm)
        return try content + digest()
    }
}
