/// `TPM2_ReadPublic` without ESYS, for inspection. TPM 2.0 Library, Part 3, section 12.4.
enum PublicRead {
    /// The public area at a handle as the TPM wrote it, with its Name computed here.
    ///
    /// - Returns: nil if there is no object.
    static func area(_ handle: UInt32, _ channel: Channel) throws(TPMError) -> (bytes: [UInt8], name: [UInt8])? {
        var parameters: [UInt8] = []
        parameters.append(handle)
        let answer: [UInt8]
        do {
            answer = try channel.exchange(.readPublic, parameters)
        } catch {
            let base = ResponseCode(error.responseCode).base
            if base == ResponseCode.handle || ResponseCode.references.contains(base) { return nil }
            throw error
        }
        var reader = MarshalledReader(answer)
        let body = try reader.sized()
        var bytes: [UInt8] = []
        bytes.append(sized: body)
        var name: [UInt8] = []
        name.append(PublicArea.nameAlgorithm)
        return (bytes, try name + Digest.sha256(body))
    }

    /// The Name of the storage key at a handle.
    ///
    /// - Returns: nil if there is nothing, or something else.
    static func storageKey(_ handle: UInt32, _ channel: Channel) throws(TPMError) -> [UInt8]? {
        guard let (bytes, name) = try area(handle, channel),
            let area = try? PublicArea(marshalled: bytes),  // An area that cannot be parsed is not Coffer's key.
            area.shape == .storageKey, area.attributes == .storageKey, area.policy.isEmpty
        else { return nil }
        return name
    }
}
