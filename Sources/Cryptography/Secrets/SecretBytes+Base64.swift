import Platform

/// Padded base64 (RFC 4648, section 4), the form of secrets on the wire. Decoding writes directly into secret memory.
extension SecretBytes {
    /// The text for the wire. It is a copy outside secret memory, so make it late and pass it on at once.
    public func base64Encoded() -> String { withBytes { Base64.text(of: $0) } }

    /// Decodes padded base64.
    ///
    /// - Returns: nil for any other text.
    /// - Throws: `.outOfMemory`.
    public init?(base64Encoded text: String) throws(CryptographyError) {
        guard let length = Base64.length(of: text) else { return nil }
        var isValid = true
        let storage = try unsafe SecretStorage(capacity: length) { (buffer) throws(CryptographyError) in
            var written = 0
            isValid = unsafe Base64.decode(text, into: buffer, &written)
            return written
        }
        guard isValid else { return nil }
        self.init(storage: storage)
    }
}
