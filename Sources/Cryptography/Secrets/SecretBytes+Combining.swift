extension SecretBytes {
    /// All parts, joined in order.
    ///
    /// - Throws: `.outOfMemory`.
    public static func concatenating(_ parts: [SecretBytes]) throws(CryptographyError) -> SecretBytes {
        let total = parts.reduce(0) { $0 + $1.count }
        return try unsafe SecretBytes(unsafeCapacity: total) { (buffer) throws(CryptographyError) in
            var offset = 0
            for part in parts {
                unsafe part.withUnsafeBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + bytes.count])
                        .copyMemory(from: bytes)
                }
                offset += part.count
            }
            return total
        }
    }

    /// `count` zero bytes, for padding.
    ///
    /// - Throws: `.outOfMemory`.
    public static func zeros(count: Int) throws(CryptographyError) -> SecretBytes {
        try unsafe SecretBytes(unsafeCapacity: count) { (_) throws(CryptographyError) in count }
    }

    /// These bytes, followed by the other ones.
    ///
    /// - Throws: `.outOfMemory`.
    public func appending(_ other: SecretBytes) throws(CryptographyError) -> SecretBytes {
        try SecretBytes.concatenating([self, other])
    }

    /// A part of the bytes.
    ///
    /// - Throws: `.invalidLength` if the range is not within the bytes; `.outOfMemory`.
    public func slice(_ range: Range<Int>) throws(CryptographyError) -> SecretBytes {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw CryptographyError(code: .invalidLength, reason: "a part of a secret lies outside of it")
        }
        return try unsafe withUnsafeBytes { (bytes) throws(CryptographyError) in
            try unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// The first `length` bytes.
    ///
    /// - Throws: `.invalidLength` if there are fewer; `.outOfMemory`.
    public func prefix(_ length: Int) throws(CryptographyError) -> SecretBytes {
        try slice(0..<max(length, 0))
    }
}
