import Authorization
import Cryptography

/// The code that brings a vault's portable items to another TPM. It has 125 random bits and a checksum
/// (docs/vault-format.md, "The recovery code").
public struct RecoveryCode: Sendable {
    public static let groupLength = 5
    public static let groupCount = 6

    /// The number of characters before the checksum, which is the last group.
    static let secretCount = groupLength * (groupCount - 1)

    /// All characters, in upper case and without `-`.
    private let characters: SecretBytes

    /// - Throws: `.outOfMemory`, `.library`.
    public static func random() throws(CryptographyError) -> RecoveryCode {
        let random = try SecretBytes.random(count: secretCount)
        // 256 is a multiple of 32, so each character is equally likely.
        var characters = random.withBytes { bytes in bytes.indices.map { CodeCharacters.alphabet[Int(bytes[$0] & 31)] }
        }
        characters += try checksum(of: characters)
        return RecoveryCode(characters: try SecretBytes(copying: characters))
    }

    private init(characters: SecretBytes) { self.characters = characters }

    /// Reads a code in any spelling that people use.
    ///
    /// - Throws: ``RecoveryCodeError``, before anything is derived from the code.
    public init(reading text: SecretBytes) throws(RecoveryCodeError) {
        var read: [UInt8] = []
        let strange: UInt8? = text.withBytes { bytes in
            for index in bytes.indices {
                guard let character = CodeCharacters.normalized(bytes[index]) else { continue }
                guard CodeCharacters.alphabet.contains(character) else { return character }
                read.append(character)
            }
            return nil
        }
        if let strange { throw RecoveryCodeError(.strangeCharacter(strange)) }
        let expected = Self.groupLength * Self.groupCount
        guard read.count == expected else { throw RecoveryCodeError(.wrongLength(read.count, expected: expected)) }
        let checksum: [UInt8]
        do throws(CryptographyError) {
            checksum = try Self.checksum(of: Array(read.prefix(Self.secretCount)))
            characters = try SecretBytes(copying: read)
        } catch {
            throw RecoveryCodeError(.noMemory)
        }
        guard Array(read.suffix(Self.groupLength)) == checksum else { throw RecoveryCodeError(.mistyped) }
    }

    /// The code as people see it: groups joined by `-`, in ASCII.
    public var text: SecretBytes {
        get throws(CryptographyError) {
            let text = characters.withBytes { bytes in
                bytes.indices.flatMap { index in
                    index > 0 && index % Self.groupLength == 0 ? [UInt8(ascii: "-"), bytes[index]] : [bytes[index]]
                }
            }
            return try SecretBytes(copying: text)
        }
    }

    /// Whether the text is this group of the code, in any spelling.
    ///
    /// - Parameter group: counted from 0.
    public func has(_ text: SecretBytes, asGroup group: Int) -> Bool {
        guard (0..<Self.groupCount).contains(group) else { return false }
        let given = text.withBytes { bytes in bytes.indices.compactMap { CodeCharacters.normalized(bytes[$0]) } }
        let expected = characters.withBytes { bytes in
            (0..<Self.groupLength).map { bytes[group * Self.groupLength + $0] }
        }
        return ConstantTime.equal(given, expected)
    }

    /// The secret that keys are derived from: the characters before the checksum.
    public var secret: SecretBytes {
        get throws(CryptographyError) { try characters.prefix(Self.secretCount) }
    }

    private static func checksum(of characters: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let digest = try SHA256.digest(
            LengthPrefixed.encode(Array("org.coffer.recovery.checksum".utf8), characters))
        return CodeCharacters.of(digest, count: groupLength)
    }
}

/// The input is not a recovery code. The error tells nothing about it, except a character that no code has.
public struct RecoveryCodeError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        case wrongLength(Int, expected: Int)
        case strangeCharacter(UInt8)
        /// The checksum does not match.
        case mistyped
        case noMemory
    }

    public let code: Code

    init(_ code: Code) { self.code = code }

    public var description: String {
        switch code {
        case .wrongLength(let count, let expected):
            count < expected
                ? "the code is too short: \(count) letters and digits instead of \(expected)"
                : "the code is too long: \(count) letters and digits instead of \(expected)"
        case .strangeCharacter(let byte):
            (0x21...0x7E).contains(byte)
                ? "no code has the character “\(Character(UnicodeScalar(byte)))”"
                : "the code holds something other than letters and digits"
        case .mistyped: "the code is mistyped, because its checksum is wrong"
        case .noMemory: "there is no memory for the code"
        }
    }
}
