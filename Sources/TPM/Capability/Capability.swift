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

/// The maker and model of a TPM.
public struct TPMDescription: Sendable, Hashable {
    /// Up to four letters registered with the TCG: `IFX`, `NTC`, `STM`, `IBM` (swtpm).
    public let manufacturer: String
    /// The maker's own name for the model.
    public let model: String

    /// From `TPM_PT_MANUFACTURER` and `TPM_PT_VENDOR_STRING_1…4`.
    init(_ properties: [UInt32: UInt32]) {
        func text(_ numbers: ClosedRange<UInt32>) -> String {
            let bytes = numbers.flatMap { number -> [UInt8] in
                var bytes: [UInt8] = []
                bytes.append(properties[number] ?? 0)
                return bytes
            }
            // Keeps only printable ASCII, because the text goes to terminals and logs.
            let printable = bytes.filter { (0x20...0x7E).contains($0) }
            return String(decoding: printable, as: UTF8.self).split(separator: " ").joined(separator: " ")
        }
        manufacturer = text(0x105...0x105)
        model = text(0x106...0x109)
    }
}

extension TPMContext {
    /// Takes one command.
    public func describe() throws(TPMError) -> TPMDescription {
        TPMDescription(try Capability.properties(from: 0x105, count: 5, engine.channel))
    }
}
