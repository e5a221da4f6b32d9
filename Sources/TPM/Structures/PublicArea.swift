import Cryptography

/// `TPMT_PUBLIC` in the four shapes that Coffer knows. Parsing refuses any other.
public struct PublicArea: Sendable, Hashable {
    /// Type and parameters together. TPM 2.0 Library, Part 2, section 12.2.
    public enum Shape: Sendable, Hashable, CaseIterable {
        /// KEYEDHASH without a scheme: sealed data.
        case sealedData
        /// ECC P-256, no symmetric algorithm, no scheme, no KDF.
        case agreementKey
        /// ECC P-256 with AES-128-CFB for its children.
        case storageKey
        /// ECC P-256 for ECDSA with SHA-256.
        case signatureKey

        var type: UInt16 { self == .sealedData ? 0x0008 : 0x0023 }

        var parameters: [UInt8] {
            switch self {
            case .sealedData: [0x00, 0x10]
            case .agreementKey: [0x00, 0x10, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10]
            case .storageKey: [0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10]
            case .signatureKey: [0x00, 0x10, 0x00, 0x18, 0x00, 0x0B, 0x00, 0x03, 0x00, 0x10]
            }
        }
    }

    /// `TPM_ALG_SHA256`, the only Name algorithm.
    static let nameAlgorithm: UInt16 = 0x000B

    public var shape: Shape
    public var attributes: ObjectAttributes
    /// 32 bytes, or empty.
    public var policy: [UInt8]
    /// For sealed data, one digest. For a key, X and Y as the TPM wrote them, at most 32 bytes each.
    public var unique: [[UInt8]]

    init(_ shape: Shape, _ attributes: ObjectAttributes, policy: [UInt8] = [], unique: [[UInt8]]) {
        self.shape = shape
        self.attributes = attributes
        self.policy = policy
        self.unique = unique
    }

    /// Parses a marshalled `TPM2B_PUBLIC`. No bytes may be left over.
    ///
    /// - Throws: `.damaged`.
    public init(marshalled: [UInt8]) throws(TPMError) {
        var outer = MarshalledReader(marshalled)
        var inner = MarshalledReader(try outer.sized())
        try outer.end()
        let type = try inner.number16()
        guard try inner.number16() == Self.nameAlgorithm else {
            throw TPMError(.damaged, "a TPM object has a Name algorithm other than SHA-256")
        }
        let attributes = ObjectAttributes(rawValue: try inner.number32())
        let policy = try inner.sized()
        guard policy.isEmpty || policy.count == 32 else {
            throw TPMError(.damaged, "a TPM object's policy has the wrong size")
        }
        let rest = inner
        for shape in Shape.allCases where shape.type == type {
            inner = rest
            guard let parameters = try? inner.take(shape.parameters.count),  // too short for this shape: try the next
                parameters == shape.parameters
            else { continue }
            var unique = [try inner.sized()]
            if shape != .sealedData { unique.append(try inner.sized()) }
            guard unique.allSatisfy({ $0.count <= 32 }) else { continue }
            try inner.end()
            self.init(shape, attributes, policy: policy, unique: unique)
            return
        }
        throw TPMError(.damaged, "a TPM object has a type or parameters other than those Coffer makes")
    }

    /// `TPMT_PUBLIC`.
    var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(shape.type)
        bytes.append(Self.nameAlgorithm)
        bytes.append(attributes.rawValue)
        bytes.append(sized: policy)
        bytes += shape.parameters
        for part in unique { bytes.append(sized: part) }
        return bytes
    }

    /// `TPM2B_PUBLIC`.
    public var marshalled: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(sized: body)
        return bytes
    }

    /// The Name: `u16 TPM_ALG_SHA256 ‖ SHA-256(TPMT_PUBLIC)`, 34 bytes. Part 1, section 16.
    public func name() throws(TPMError) -> [UInt8] {
        var name: [UInt8] = []
        name.append(Self.nameAlgorithm)
        return try name + Digest.sha256(body)
    }

    /// A key's uncompressed point, 65 bytes.
    ///
    /// - Throws: `.damaged` for sealed data.
    public func point() throws(TPMError) -> [UInt8] {
        guard unique.count == 2 else { throw TPMError(.damaged, "a TPM object is not a key") }
        return [4] + unique.flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 }
    }
}
