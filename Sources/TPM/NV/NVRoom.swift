/// How many more NV indexes fit into the TPM, by its own estimate. TPM 2.0 Library, Part 2, "TPM_PT".
public struct NVRoom: Sendable, Hashable {
    /// `TPM_PT_HR_NV_INDEX`: the indexes of all programs.
    public let defined: UInt32?
    /// `TPM_PT_NV_COUNTERS`.
    public let counters: UInt32?
    /// `TPM_PT_NV_COUNTERS_MAX`: the most counters that the TPM allows; nil if it sets no limit.
    public let mostCounters: UInt32?
    /// `TPM_PT_NV_COUNTERS_AVAIL`: how many more counters fit; nil if the TPM does not tell. Coffer's other indexes take
    /// about as much room as a counter.
    public let roomForCounters: UInt32?

    /// - Parameters:
    ///   - fixed: properties from 0x100 on.
    ///   - variable: properties from 0x200 on.
    init(fixed: [UInt32: UInt32], variable: [UInt32: UInt32]) {
        defined = variable[0x202]
        counters = variable[0x20A]
        roomForCounters = variable[0x20B]
        mostCounters = fixed[0x116].flatMap { $0 == 0 ? nil : $0 }
    }

    /// How many more of Coffer's indexes fit; nil if the TPM does not tell.
    public var left: Int? {
        let allowed = mostCounters.map { $0 > counters ?? 0 ? $0 - (counters ?? 0) : 0 }
        return [roomForCounters, allowed].compactMap { $0 }.min().map(Int.init)
    }

    public static let advice =
        "to see what they are: tpm2_getcap handles-nv-index; have root find out which program or user makes so many"

    /// The error for a TPM that refused to define an index.
    static func exhausted(_ room: NVRoom?, responseCode: UInt32) -> TPMError {
        TPMError(
            .exhausted,
            "the TPM's memory has no room for another NV index"
                + (room?.defined.map { " (there are \($0) of all programs)" } ?? ""),
            advice: advice, responseCode: responseCode)
    }
}

extension TPMContext {
    /// Takes two commands.
    public func nvRoom() throws(TPMError) -> NVRoom {
        NVRoom(
            fixed: try Capability.properties(from: 0x116, count: 1, engine.channel),
            variable: try Capability.properties(from: 0x202, count: 10, engine.channel))
    }
}
