import Authorization
import Cryptography
import Recovery

/// Why a text is no code for joining. The error tells nothing about it, except a character that no code has.
package enum JoinCodeError: Error, Sendable, Equatable {
    /// It does not begin with JOIN: it may be a recovery code, which nobody may ask for here.
    case prefix
    case wrongLength(Int, expected: Int)
    case strangeCharacter(UInt8)
    /// The checksum does not match.
    case mistyped
    case noMemory
}

/// The 125 bits that a request to join stands for, as people read them out (docs/sync-format.md, “Code”).
package struct JoinCode: Sendable {
    package static let groupLength = 5
    package static let groupCount = 6

    private static let prefix = Array("JOIN".utf8)
    /// The prefix as a person's spelling is read: with digits for the letters that look like them.
    private static let readPrefix = prefix.compactMap(CodeCharacters.normalized)
    private static let secretCount = groupLength * (groupCount - 1)

    /// All characters behind the prefix, in upper case and without `-`.
    private let characters: SecretBytes

    /// - Throws: `.hash`.
    package init(of request: JoinRequest) throws(CircleFormError) {
        let digest = try CircleDigest.of(
            LengthPrefixed.encode(Array("org.coffer.circle.join".utf8)) + LengthPrefixed.encode(request.bytes))
        let secret = CodeCharacters.of(digest, count: Self.secretCount)
        let checksum = try Self.checksum(of: secret)
        do { characters = try SecretBytes(copying: secret + checksum) } catch { throw .hash }
    }

    /// Reads a code in any spelling that people use.
    ///
    /// - Throws: ``JoinCodeError``, before anything is derived from the code.
    package init(reading text: SecretBytes) throws(JoinCodeError) {
        var read: [UInt8] = text.withBytes { bytes in
            bytes.indices.compactMap { CodeCharacters.normalized(bytes[$0]) }
        }
        guard read.starts(with: Self.readPrefix) else { throw .prefix }
        read.removeFirst(Self.readPrefix.count)
        if let strange = read.first(where: { !CodeCharacters.alphabet.contains($0) }) {
            throw .strangeCharacter(strange)
        }
        let expected = Self.groupLength * Self.groupCount
        guard read.count == expected else { throw .wrongLength(read.count, expected: expected) }
        let checksum: [UInt8]
        do throws(CircleFormError) {
            checksum = try Self.checksum(of: Array(read.prefix(Self.secretCount)))
        } catch {
            throw .noMemory
        }
        guard Array(read.suffix(Self.groupLength)) == checksum else { throw .mistyped }
        do { characters = try SecretBytes(copying: read) } catch { throw .noMemory }
    }

    /// The code as people see it: JOIN and groups, joined by `-`, in ASCII.
    package var text: SecretBytes {
        get throws(CryptographyError) {
            let text = characters.withBytes { bytes in
                bytes.indices.flatMap { index in
                    index % Self.groupLength == 0 ? [UInt8(ascii: "-"), bytes[index]] : [bytes[index]]
                }
            }
            return try SecretBytes(copying: Self.prefix + text)
        }
    }

    /// What keys are derived from: the 25 characters before the checksum.
    package var secret: SecretBytes {
        get throws(CryptographyError) {
            try SecretBytes(copying: characters.withBytes { bytes in (0..<Self.secretCount).map { bytes[$0] } })
        }
    }

    /// Whether this request, and no other, is what the code stands for.
    ///
    /// - Throws: `.hash`.
    package func isCode(of request: JoinRequest) throws(CircleFormError) -> Bool {
        characters == (try JoinCode(of: request)).characters
    }

    /// Where the two files of this joining lie.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package var place: JoinPlace {
        get throws(CryptographyError) {
            let name = try derived("org.coffer.circle.join.name")
            let bytes = name.withBytes { bytes in (0..<JoinPlace.count).map { bytes[$0] } }
            return JoinPlace(named: bytes)
        }
    }

    /// What the request is sealed under: 32 bytes.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package var requestKey: SecretBytes {
        get throws(CryptographyError) { try derived("org.coffer.circle.join.request") }
    }

    /// What the answer is sealed under: 32 bytes.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package var answerKey: SecretBytes {
        get throws(CryptographyError) { try derived("org.coffer.circle.join.answer") }
    }

    /// What a step of a proof is sealed under: 32 bytes.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package func key(of step: ProofStep) throws(CryptographyError) -> SecretBytes {
        try derived("org.coffer.circle.join.\(step.rawValue)")
    }

    /// Seals a step of a proof for the store.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package func seal(_ bytes: [UInt8], _ step: ProofStep) throws(CryptographyError) -> [UInt8] {
        try AESGCM.seal(SecretBytes(copying: bytes), key: key(of: step), associatedData: place.bytes)
    }

    /// Opens a step of a proof as it lies in the store.
    ///
    /// - Throws: `.authenticationFailed` for anything else; `.outOfMemory`, `.library`.
    package func open(_ sealed: [UInt8], _ step: ProofStep) throws(CryptographyError) -> [UInt8] {
        try AESGCM.open(sealed, key: key(of: step), associatedData: place.bytes).withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
    }

    /// Opens a request as it lies in the store.
    ///
    /// - Throws: `CircleFormError` for anything that nobody who knows the code has written. It need not be the request of this
    ///   code: ``isCode(of:)``.
    package func openRequest(_ sealed: [UInt8]) throws(CircleFormError) -> JoinRequest {
        try JoinRequest(decoding: opened(sealed, try library { () throws(CryptographyError) in try requestKey }))
    }

    /// Opens an answer as it lies in the store.
    ///
    /// - Throws: `CircleFormError` for anything that nobody who knows the code has written.
    package func openAnswer(_ sealed: [UInt8]) throws(CircleFormError) -> JoinAnswer {
        try JoinAnswer(decoding: opened(sealed, try library { () throws(CryptographyError) in try answerKey }))
    }

    private func opened(_ sealed: [UInt8], _ key: SecretBytes) throws(CircleFormError) -> [UInt8] {
        do throws(CryptographyError) {
            return try AESGCM.open(sealed, key: key, associatedData: place.bytes).withBytes { bytes in
                bytes.indices.map { bytes[$0] }
            }
        } catch { throw .form }
    }

    private func derived(_ info: String) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(secret, salt: [], info: Array(info.utf8), count: 32)
    }

    private static func checksum(of secret: [UInt8]) throws(CircleFormError) -> [UInt8] {
        let digest = try CircleDigest.of(
            LengthPrefixed.encode(Array("org.coffer.circle.join.checksum".utf8)) + LengthPrefixed.encode(secret))
        return CodeCharacters.of(digest, count: groupLength)
    }
}

/// Where a request and its answer lie in the store. Only the code tells it: 16 bytes.
package struct JoinPlace: Hashable, Sendable {
    /// The length in bytes.
    package static let count = 16

    package let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    fileprivate init(named bytes: [UInt8]) { self.bytes = bytes }
}
