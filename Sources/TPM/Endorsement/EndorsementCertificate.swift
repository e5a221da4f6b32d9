import CTSS2
import Cryptography

extension TPMContext {
    /// The certificate that the maker put into the TPM. Takes a few commands.
    ///
    /// - Returns: nil if there is none that Coffer may read.
    /// - Throws: `.damaged` if the content is not a certificate.
    public func endorsementCertificate(_ template: EndorsementTemplate) throws(TPMError) -> Certificate? {
        guard let content = try content(of: template.certificateIndex) else { return nil }
        // Makers leave zeros or ones after the certificate. The outer SEQUENCE tells its length.
        guard content.count > 4, content[0] == 0x30, content[1] == 0x82 else {
            throw TPMError(.damaged, "the TPM's endorsement certificate is not a certificate")
        }
        let count = 4 + Int(content[2]) << 8 + Int(content[3])
        guard count <= content.count else { throw TPMError(.damaged, "the TPM's endorsement certificate is cut off") }
        do throws(CryptographyError) {
            return try Certificate(der: [UInt8](content[..<count]))
        } catch {
            throw TPMError(.damaged, "the TPM's endorsement certificate cannot be read: \(error.reason)")
        }
    }

    /// The whole content of an index that is not Coffer's, at most 16 KiB. Uses the index's or the owner's empty
    /// password.
    ///
    /// - Returns: nil if neither may read it.
    private func content(of handle: UInt32) throws(TPMError) -> [UInt8]? {
        guard try Capability.has(handle: handle, engine.channel) else { return nil }
        var parameters: [UInt8] = []
        parameters.append(handle)
        var answer = MarshalledReader(try engine.channel.exchange(.nvReadPublic, parameters))
        guard let area = try NVPublicArea(body: answer.sized()), area.attributes.contains(.written), area.size <= 16384
        else { return nil }
        let owner = !area.attributes.contains(.authorizedRead)
        guard !owner || area.attributes.contains(.ownerRead) else { return nil }
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_TR_FromTPMPublic(
                engine.esys, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference),
            .nvReadPublic)
        defer { _ = unsafe Esys_TR_Close(engine.esys, &reference) }
        var content: [UInt8] = []
        while content.count < Int(area.size) {
            // Every TPM reads 512 bytes at once (`TPM_PT_NV_BUFFER_MAX` is not smaller on any).
            let count = min(512, Int(area.size) - content.count)
            var output = ESYSOutput<TPM2B_MAX_NV_BUFFER>()
            let reader = owner ? ESYS_TR(ESYS_TR_RH_OWNER) : reference
            try engine.check(
                unsafe Esys_NV_Read(
                    engine.esys, reader, reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
                    UInt16(count), UInt16(content.count), &output.pointer),
                .nvRead)
            let part = try output.bytes(.nvRead)
            guard part.count == count else { throw TPMError(.other, "the TPM read fewer bytes than it was asked for") }
            content += part
        }
        return content
    }
}
