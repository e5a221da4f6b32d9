/// cpHash, the hash that binds a policy to one command. TPM 2.0 Library, Part 1, section 16.7.
public enum CommandParameterHash {
    /// The hash of `TPM2_Unseal` for the object with this Name, 32 bytes.
    public static func unseal(name: [UInt8]) throws(TPMError) -> [UInt8] {
        try hash(.unseal, names: [name], parameters: [])
    }

    /// The hash of `TPM2_ECDH_ZGen` with the key of this Name and an uncompressed point of 65 bytes. 32 bytes.
    public static func agree(name: [UInt8], point: [UInt8]) throws(TPMError) -> [UInt8] {
        let (x, y) = try coordinates(of: point)
        var inner: [UInt8] = []
        inner.append(sized: x)
        inner.append(sized: y)
        var parameter: [UInt8] = []
        parameter.append(sized: inner)
        return try hash(.agree, names: [name], parameters: parameter)
    }

    /// The hash of `TPM2_Sign` with the key of this Name, over a digest of 32 bytes. 32 bytes.
    public static func sign(name: [UInt8], digest: [UInt8]) throws(TPMError) -> [UInt8] {
        var parameters: [UInt8] = []
        parameters.append(sized: try checked(digest: digest))
        // The key's own scheme (TPM_ALG_NULL), and the ticket of a digest that the TPM has not made itself:
        // TPM_ST_HASHCHECK, TPM_RH_NULL, nothing.
        parameters.append(UInt16(0x0010))
        parameters.append(UInt16(0x8024))
        parameters.append(UInt32(0x4000_0007))
        parameters.append(UInt16(0))
        return try hash(.sign, names: [name], parameters: parameters)
    }

    static func checked(digest: [UInt8]) throws(TPMError) -> [UInt8] {
        guard digest.count == 32 else { throw TPMError(.other, "a digest to sign is not 32 bytes") }
        return digest
    }

    /// The hash of `TPM2_NV_Write` of a whole index by its own policy, 32 bytes. `name` is the Name before the write.
    static func write(name: [UInt8], content: [UInt8]) throws(TPMError) -> [UInt8] {
        var parameters: [UInt8] = []
        parameters.append(sized: content)
        parameters.append(UInt16(0))
        return try hash(.nvWrite, names: [name, name], parameters: parameters)
    }

    /// The point's coordinates, 32 bytes each.
    static func coordinates(of point: [UInt8]) throws(TPMError) -> (x: [UInt8], y: [UInt8]) {
        guard point.count == 65, point[0] == 4 else {
            throw TPMError(.damaged, "a P-256 point is not 65 bytes, uncompressed")
        }
        return ([UInt8](point[1..<33]), [UInt8](point[33..<65]))
    }

    private static func hash(_ command: CommandCode, names: [[UInt8]], parameters: [UInt8]) throws(TPMError) -> [UInt8]
    {
        var bytes: [UInt8] = []
        bytes.append(command.rawValue)
        for name in names { bytes += name }
        return try Digest.sha256(bytes + parameters)
    }
}
