/// `TPMS_NV_PUBLIC` with SHA-256 as Name algorithm. TPM 2.0 Library, Part 2, section 13.5.
public struct NVPublicArea: Sendable, Hashable {
    public let handle: UInt32
    public var attributes: NVAttributes
    /// 32 bytes, or empty.
    public let policy: [UInt8]
    /// The size of the content in bytes.
    public let size: UInt16

    init(handle: UInt32, attributes: NVAttributes, policy: [UInt8] = [], size: UInt16) {
        self.handle = handle
        self.attributes = attributes
        self.policy = policy
        self.size = size
    }

    /// Parses `TPMS_NV_PUBLIC`. No bytes may be left over.
    ///
    /// - Returns: nil if the Name algorithm is another one.
    /// - Throws: `.damaged`.
    init?(body: [UInt8]) throws(TPMError) {
        var reader = MarshalledReader(body)
        handle = try reader.number32()
        let algorithm = try reader.number16()
        attributes = NVAttributes(rawValue: try reader.number32())
        policy = try reader.sized()
        size = try reader.number16()
        try reader.end()
        guard algorithm == PublicArea.nameAlgorithm else { return nil }
    }

    /// `TPMS_NV_PUBLIC`.
    var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(handle)
        bytes.append(PublicArea.nameAlgorithm)
        bytes.append(attributes.rawValue)
        bytes.append(sized: policy)
        bytes.append(size)
        return bytes
    }

    /// The Name, 34 bytes. It covers handle, attributes (including `written`), policy and size. It covers **neither
    /// password nor content**. So with the owner's authorization, which is mostly empty, somebody can make another
    /// index that has the same Name once it is written. Part 1, section 16.
    public func name() throws(TPMError) -> [UInt8] {
        var name: [UInt8] = []
        name.append(PublicArea.nameAlgorithm)
        return try name + Digest.sha256(body)
    }

    /// The public area after the first write.
    var written: NVPublicArea {
        var area = self
        area.attributes.insert(.written)
        return area
    }
}

/// `TPMA_NV`, including the index's type. TPM 2.0 Library, Part 2, section 13.4.
public struct NVAttributes: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let ownerWrite = NVAttributes(rawValue: 1 << 1)
    public static let authorizedWrite = NVAttributes(rawValue: 1 << 2)
    public static let policyWrite = NVAttributes(rawValue: 1 << 3)
    /// `TPM_NT_COUNTER` and `TPM_NT_PIN_FAIL` are in bits 4 to 7. An ordinary index has none of these bits.
    public static let counter = NVAttributes(rawValue: 1 << 4)
    public static let pinFail = NVAttributes(rawValue: 8 << 4)
    public static let ownerRead = NVAttributes(rawValue: 1 << 17)
    public static let authorizedRead = NVAttributes(rawValue: 1 << 18)
    public static let noDictionaryAttack = NVAttributes(rawValue: 1 << 25)
    public static let written = NVAttributes(rawValue: 1 << 29)
}
