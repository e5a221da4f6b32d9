import CTSS2
import Cryptography

extension TPMContext {
    /// The certificate that the maker put into the TPM; nil where there is none that may be read. A few commands.
    ///
    /// - Throws: `.damaged` for something that is no certificate.
    public func endorsementCertificate(_ template: EndorsementTemplate) throws(TPMError) -> Certificate? {
        guard let content = try content(of: template.certificateIndex) else { return nil }
        // Makers leave zeros or ones behind it: the outer SEQUENCE says how long it is.
        guard content.count > 4, content[0] == 0x30, content[1] == 0x82 else {
            throw TPMError(.damaged, "the TPM's endorsement certificate is none")
        }
        let count = 4 + Int(content[2]) << 8 + Int(content[3])
        guard count <= content.count else { throw TPMError(.damaged, "the TPM's endorsement certificate is cut off") }
        do throws(CryptographyError) {
            return try Certificate(der: [UInt8](content[..<count]))
        } catch {
            throw TPMError(.damaged, "the TPM's endorsement certificate cannot be read: \(error.reason)")
        }
    }

    /// All of an index of somebody else's, by its empty password or the owner's; nil where neither may read it. At most
    /// 16 KiB.
    private func content(of handle: UInt32) throws(TPMError) -> [UInt8]? {
        guard try Capability.handles(from: handle, engine.channel).first == handle else { return nil }
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
            // Every TPM reads 512 bytes at once (`TPM_PT_NV_BUFFER_MAX` is no smaller anywhere).
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
