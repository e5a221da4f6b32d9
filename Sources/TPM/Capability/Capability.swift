/// The kinds of handles to list. TPM 2.0 Library, Part 2, "TPM_HT".
enum HandleRange: UInt32 {
    case loadedSessions = 0x0200_0000
    case savedSessions = 0x0300_0000
    case nvIndex = 0x0100_0000
    case transient = 0x8000_0000
    case persistent = 0x8100_0000
}

/// `TPM2_GetCapability`. Part 3, section 30.2.
enum Capability {
    static func handles(_ range: HandleRange, _ channel: Channel) throws(TPMError) -> [UInt32] {
        try handles(from: range.rawValue, channel)
    }

    /// The handles of one range in order, starting with `first`; at most 254.
    static func handles(from first: UInt32, _ channel: Channel) throws(TPMError) -> [UInt32] {
        var reader = try ask(1, first, count: 254, channel)
        let count = try reader.number32()
        guard count <= 254 else { throw TPMError(.other, "the TPM lists more handles than it can have") }
        var handles: [UInt32] = []
        for _ in 0..<count { handles.append(try reader.number32()) }
        return handles
    }

    /// The values of `TPM_PT` properties, starting with `first`.
    static func properties(from first: UInt32, count: UInt32, _ channel: Channel) throws(TPMError) -> [UInt32: UInt32] {
        var reader = try ask(6, first, count: count, channel)
        let found = try reader.number32()
        guard found <= count else { throw TPMError(.other, "the TPM lists more properties than were asked for") }
        var properties: [UInt32: UInt32] = [:]
        for _ in 0..<found {
            let property = try reader.number32()
            properties[property] = try reader.number32()
        }
        return properties
    }

    /// Whether the TPM has a command.
    static func has(_ command: CommandCode, _ channel: Channel) throws(TPMError) -> Bool {
        var reader = try ask(2, command.rawValue, count: 1, channel)
        guard try reader.number32() > 0 else { return false }
        // `TPMA_CC`: the low half has the command's number.
        return try reader.number32() & 0xFFFF == command.rawValue
    }

    private static func ask(
        _ capability: UInt32, _ property: UInt32, count: UInt32, _ channel: Channel
    ) throws(TPMError) -> MarshalledReader {
        var parameters: [UInt8] = []
        parameters.append(capability)
        parameters.append(property)
        parameters.append(count)
        var reader = MarshalledReader(try channel.exchange(.getCapability, parameters))
        _ = try reader.number8()  // moreData: no request here needs more than one answer.
        guard try reader.number32() == capability else { throw TPMError(.other, "the TPM answered another question") }
        return reader
    }
}
