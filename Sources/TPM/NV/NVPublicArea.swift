/// `TPMS_NV_PUBLIC` with SHA-256 as Name algorithm. TPM 2.0 Library, Part 2, section 13.5.
public struct NVPublicArea: Sendable, Hashable {
    public let handle: UInt32
    public var attributes: NVAttributes
    /// 32 bytes, or none.
    public let policy: [UInt8]
    /// Bytes of content.
    public let size: UInt16

    init(handle: UInt32, attributes: NVAttributes, policy: [UInt8] = [], size: UInt16) {
        self.handle = handle
        self.attributes = attributes
        self.policy = policy
        self.size = size
    }

    /// Reads `TPMS_NV_PUBLIC`; every byte must be accounted for. Throws `.damaged`; nil where the Name algorithm is
    /// another.
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

    /// The Name, 34 bytes. It covers handle, attributes (`written` among them), policy and size, and **neither password
    /// nor content**: owner authorization, mostly empty, makes another index with the same Name once that was written.
    /// Part 1, section 16.
    public func name() throws(TPMError) -> [UInt8] {
        var name: [UInt8] = []
        name.append(PublicArea.nameAlgorithm)
        return try name + Digest.sha256(body)
    }

    /// The same index once it was written.
    var written: NVPublicArea {
        var area = self
        area.attributes.insert(.written)
        return area
    }
}
