/// The kinds of handles to list. TPM 2.0 Library, Part 2, "TPM_HT".
enum HandleRange: UInt32 {
    case loadedSessions = 0x0200_0000
    case savedSessions = 0x0300_0000
    case nvIndex = 0x0100_0000
    case transient = 0x8000_0000
    case persistent = 0x8100_0000
}

/// `TPM2_GetCapability`. Part 3, section 30.2.
///
/// A TPM may answer with less than it has, and says so by `moreData`. Every list is therefore asked for until the TPM has no more.
enum Capability {
    /// How many entries one command asks for. No TPM puts more handles into an answer (Part 2, `MAX_CAP_HANDLES`).
    private static let page: UInt32 = 254

    /// The longest list that is believed. No TPM has memory for so many handles.
    private static let mostHandles = 1 << 16

    static func handles(_ range: HandleRange, _ channel: Channel) throws(TPMError) -> [UInt32] {
        try handles(from: range.rawValue, channel)
    }

    /// The handles of one range in order, starting with `first`.
    ///
    /// - Parameter last: the last handle of interest.
    static func handles(
        from first: UInt32, through last: UInt32 = .max, _ channel: Channel
    ) throws(TPMError) -> [UInt32] {
        var handles: [UInt32] = []
        var next = first
        while true {
            var (reader, hasMore) = try ask(1, next, count: page, channel)
            let count = try reader.number32()
            guard count <= page else { throw TPMError(.other, "the TPM lists more handles than it was asked for") }
            for _ in 0..<count {
                let handle = try reader.number32()
                // A list that does not rise might never end.
                guard place(handle) >= place(next), handles.last.map({ place($0) < place(handle) }) ?? true else {
                    throw TPMError(.other, "the TPM lists its handles in no order")
                }
                if handle > last { return handles }
                handles.append(handle)
            }
            guard hasMore, count > 0, let end = handles.last, end < last, place(end) < places else { return handles }
            guard handles.count <= mostHandles else {
                throw TPMError(.other, "the TPM lists more handles than it can have")
            }
            next = first & ~places | (place(end) + 1)
        }
    }

    /// The bits of a handle within its range. Sessions of every type are one list, in the order of these bits.
    private static let places: UInt32 = 0x00FF_FFFF

    private static func place(_ handle: UInt32) -> UInt32 { handle & places }

    /// Whether something is at a handle.
    static func has(handle: UInt32, _ channel: Channel) throws(TPMError) -> Bool {
        var (reader, _) = try ask(1, handle, count: 1, channel)
        guard try reader.number32() > 0 else { return false }
        return try reader.number32() == handle
    }

    /// The values of `TPM_PT` properties from `first` on, `count` numbers of them.
    static func properties(from first: UInt32, count: UInt32, _ channel: Channel) throws(TPMError) -> [UInt32: UInt32] {
        var properties: [UInt32: UInt32] = [:]
        var next = first
        while next < first + count {
            var (reader, hasMore) = try ask(6, next, count: first + count - next, channel)
            let found = try reader.number32()
            guard found <= count else { throw TPMError(.other, "the TPM lists more properties than were asked for") }
            let asked = next
            for _ in 0..<found {
                let property = try reader.number32()
                guard property >= next, property < .max else {
                    throw TPMError(.other, "the TPM lists its properties in no order")
                }
                properties[property] = try reader.number32()
                next = property + 1
            }
            guard hasMore, next > asked else { break }
        }
        return properties
    }

    /// Whether the TPM has a command.
    static func has(_ command: CommandCode, _ channel: Channel) throws(TPMError) -> Bool {
        var (reader, _) = try ask(2, command.rawValue, count: 1, channel)
        guard try reader.number32() > 0 else { return false }
        // `TPMA_CC`: the low half has the command's number.
        return try reader.number32() & 0xFFFF == command.rawValue
    }

    private static func ask(
        _ capability: UInt32, _ property: UInt32, count: UInt32, _ channel: Channel
    ) throws(TPMError) -> (MarshalledReader, hasMore: Bool) {
        var parameters: [UInt8] = []
        parameters.append(capability)
        parameters.append(property)
        parameters.append(count)
        var reader = MarshalledReader(try channel.exchange(.getCapability, parameters))
        let hasMore = try reader.number8() != 0
        guard try reader.number32() == capability else { throw TPMError(.other, "the TPM answered another question") }
        return (reader, hasMore)
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
