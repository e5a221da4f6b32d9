/// The two endorsement keys for which a TPM has a certificate, if it has any. TCG EK Credential Profile for TPM Family
/// 2.0, templates L-2 (ECC P-256) and L-1 (RSA 2048).
public enum EndorsementTemplate: Sendable, Hashable, CaseIterable {
    case ecc
    case rsa

    /// The certificate's NV index, from the same profile.
    public var certificateIndex: UInt32 { self == .ecc ? 0x01C0_000A : 0x01C0_0002 }

    /// `TPMT_PUBLIC` up to `unique`.
    func head() throws(TPMError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt16(self == .ecc ? 0x0023 : 0x0001))
        bytes.append(PublicArea.nameAlgorithm)
        // fixedTPM, fixedParent, sensitiveDataOrigin, adminWithPolicy, restricted, decrypt.
        bytes.append(UInt32(0x0003_00B2))
        bytes.append(sized: try Policy(.hierarchy(Self.endorsementHierarchy)).digest())
        // AES-128-CFB without a scheme. Then the curve and no KDF, or 2048 bits and the default exponent.
        bytes += [0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x10]
        return bytes + (self == .ecc ? [0x00, 0x03, 0x00, 0x10] : [0x08, 0x00, 0x00, 0x00, 0x00, 0x00])
    }

    /// `TPM2B_PUBLIC` for `TPM2_CreatePrimary`, with zeros for `unique`.
    func marshalled() throws(TPMError) -> [UInt8] {
        var body = try head()
        let sizes = self == .ecc ? [32, 32] : [256]
        for size in sizes { body.append(sized: [UInt8](repeating: 0, count: size)) }
        var bytes: [UInt8] = []
        bytes.append(sized: body)
        return bytes
    }

    static let endorsementHierarchy: UInt32 = 0x4000_000B
}
