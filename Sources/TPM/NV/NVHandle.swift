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
    /// The lowest free handle of Coffer's range. Takes one command.
    ///
    /// - Throws: `.exhausted`.
    func freeNVHandle() throws(TPMError) -> NVHandle {
        let present = Set(try Capability.handles(from: NVHandle.range.lowerBound, engine.channel))
        guard let free = NVHandle.range.first(where: { !present.contains($0) }), let handle = NVHandle(rawValue: free)
        else {
            throw TPMError(.exhausted, "no NV index handle is free (\(NVHandle.range.lowerBound) and up)")
        }
        return handle
    }
}
