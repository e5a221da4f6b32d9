/// The handle of an NV index of Coffer's.
public struct NVHandle: Sendable, Hashable, CustomStringConvertible {
    /// Owners' indexes have the handles 0x01800000–0x01BFFFFF (TCG Registry of Reserved TPM 2.0 Handles and Localities,
    /// section 2.2.2). Coffer uses only these 4,096 of them.
    public static let range: ClosedRange<UInt32> = 0x01B0_C000...0x01B0_CFFF

    public let rawValue: UInt32

    /// - Returns: nil outside Coffer's range. A changed record must not make Coffer touch other programs' indexes.
    public init?(rawValue: UInt32) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { "0x0" + String(rawValue, radix: 16, uppercase: true) }
}

extension TPMContext {
    /// The lowest handle of Coffer's range that is free and not reserved. Takes one command, and one more for every 254
    /// indexes in the range.
    ///
    /// - Throws: `.exhausted`.
    func freeNVHandle() throws(TPMError) -> NVHandle {
        let range = NVHandle.range
        let present = Set(
            try Capability.handles(from: range.lowerBound, through: range.upperBound, engine.channel)
        ).union(reserved())
        guard let free = range.first(where: { !present.contains($0) }), let handle = NVHandle(rawValue: free) else {
            throw TPMError(
                .exhausted,
                "all \(range.count) handles that Coffer uses for NV indexes (from 0x0\(String(range.lowerBound, radix: 16))) are taken",
                advice: NVRoom.advice)
        }
        return handle
    }
}
