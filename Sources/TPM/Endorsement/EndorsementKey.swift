import CTSS2
import Cryptography

/// The key that identifies a TPM. It decrypts and does not sign. It is flushed when this value goes.
public struct EndorsementKey: ~Copyable {
    let object: LoadedObject<HandleRole.EndorsementKey>
    /// In the form of a certificate's key.
    public let publicKey: Certificate.SubjectKey
    /// 34 bytes. Pinned if there is no certificate.
    public let name: [UInt8]
}

/// A key that the endorsement hierarchy gives each time that it is asked for.
struct EndorsementPrimary<Role>: ~Copyable {
    let object: LoadedObject<Role>
    /// `TPM2B_PUBLIC`.
    let publicArea: [UInt8]
}

extension HandleRole {
    public enum EndorsementKey {}
}

extension TPMContext {
    /// `TPM2_CreatePrimary` under the endorsement hierarchy, which gives the same key each time. Takes one command,
    /// which is slow with RSA.
    ///
    /// - Throws: `.unsupported` for a key type that the TPM lacks; `.other`, with a reason in words, if the endorsement
    ///   password is set.
    public func endorsementKey(_ template: EndorsementTemplate) throws(TPMError) -> EndorsementKey {
        let made: EndorsementPrimary<HandleRole.EndorsementKey> = try endorsementPrimary(template.marshalled())
        let publicKey = try Self.publicKey(made.publicArea, template)
        let name = try name(of: made.object.reference)
        return EndorsementKey(object: made.object, publicKey: publicKey, name: name)
    }

    /// `TPM2_CreatePrimary` under the endorsement hierarchy.
    ///
    /// - Parameter template: `TPM2B_PUBLIC`.
    func endorsementPrimary<Role>(_ template: [UInt8]) throws(TPMError) -> EndorsementPrimary<Role> {
        var area = try CStructures.publicArea(template)
        var sensitive = TPM2B_SENSITIVE_CREATE()
        var outside = TPM2B_DATA()
        var selection = TPML_PCR_SELECTION()
        var reference = ESYS_TR(ESYS_TR_NONE)
        var output = ESYSOutput<TPM2B_PUBLIC>()
        let code = unsafe Esys_CreatePrimary(
            engine.esys, ESYS_TR(ESYS_TR_RH_ENDORSEMENT), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
            &sensitive, &area, &outside, &selection, &reference, &output.pointer, nil, nil, nil)
        if code != 0, ResponseCode(code).isFromTPM {
            switch ResponseCode(code).base {
            case ResponseCode.badAuthorization, ResponseCode.authorizationFailed:
                throw TPMError(
                    .other, "the TPM's endorsement password is set, so it cannot show its identity", responseCode: code)
            case ResponseCode.value, ResponseCode.keySize, ResponseCode.asymmetric, ResponseCode.type:
                throw TPMError(.unsupported, "this TPM has no endorsement key of this type", responseCode: code)
            default: break
            }
        }
        try engine.check(code, .createPrimary)
        let object = try LoadedObject<Role>(engine, reference, .createPrimary)
        let made = try unsafe output.value(.createPrimary) {
            (pointer: UnsafePointer<TPM2B_PUBLIC>) throws(TPMError) in try unsafe CStructures.bytes(pointer)
        }
        return EndorsementPrimary(object: object, publicArea: made)
    }

    private static func publicKey(_ bytes: [UInt8], _ template: EndorsementTemplate) throws(TPMError)
        -> Certificate.SubjectKey
    {
        var outer = MarshalledReader(bytes)
        var reader = MarshalledReader(try outer.sized())
        let head = try template.head()
        guard try reader.take(head.count) == head else {
            throw TPMError(.other, "the TPM made another endorsement key than it was asked for")
        }
        let first = try reader.sized()
        guard template == .ecc else {
            try reader.end()
            return .rsa(modulus: [UInt8](first.drop { $0 == 0 }))
        }
        let second = try reader.sized()
        try reader.end()
        guard first.count <= 32, second.count <= 32 else {
            throw TPMError(.other, "the TPM's endorsement key is not a P-256 point")
        }
        return .p256(point: [4] + [first, second].flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 })
    }
}
