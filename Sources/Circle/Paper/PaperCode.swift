import Authorization
import Cryptography
import Recovery

/// Why a text is no code of a circle's paper. The error tells nothing about it, except a character that no code has.
package enum PaperCodeError: Error, Sendable, Equatable {
    /// It does not begin with PAPER: it may be another code, which nobody may ask for here.
    case prefix
    case wrongLength(Int, expected: Int)
    case strangeCharacter(UInt8)
    /// The checksum does not match.
    case mistyped
    case noMemory

    /// What is wrong with it, in words.
    package var reason: String {
        switch self {
        case .prefix: "that is no code of a paper: such a code begins with PAPER"
        case .wrongLength(let count, let expected):
            "the code has \(count) characters after PAPER, and should have \(expected)"
        case .strangeCharacter(let byte):
            (0x21...0x7E).contains(byte)
                ? "no code has the character “\(Character(UnicodeScalar(byte)))”"
                : "the code holds something other than letters and digits"
        case .mistyped: "a character of the code is wrong"
        case .noMemory: "there is no memory for the code"
        }
    }
}

/// The 125 random bits from which the keys of a circle's paper come (docs/sync-format.md, “Paper”).
package struct PaperCode: Sendable {
    package static let groupLength = 5
    package static let groupCount = 6

    private static let prefix = Array("PAPER".utf8)
    /// The characters before the checksum, which is the last group.
    private static let secretCount = groupLength * (groupCount - 1)

    /// All characters behind the prefix, in upper case and without `-`.
    private let characters: SecretBytes

    /// - Throws: `.outOfMemory`, `.library`.
    package static func random() throws(CryptographyError) -> PaperCode {
        let random = try SecretBytes.random(count: secretCount)
        // 256 is a multiple of 32, so each character is equally likely.
        var characters = random.withBytes { bytes in bytes.indices.map { CodeCharacters.alphabet[Int(bytes[$0] & 31)] }
        }
        characters += try checksum(of: characters)
        return PaperCode(characters: try SecretBytes(copying: characters))
    }

    private init(characters: SecretBytes) { self.characters = characters }

    /// Reads a code in any spelling that people use.
    ///
    /// - Throws: ``PaperCodeError``, before anything is derived from the code.
    package init(reading text: SecretBytes) throws(PaperCodeError) {
        var read: [UInt8] = text.withBytes { bytes in
            bytes.indices.compactMap { CodeCharacters.normalized(bytes[$0]) }
        }
        guard read.starts(with: Self.prefix) else { throw .prefix }
        read.removeFirst(Self.prefix.count)
        if let strange = read.first(where: { !CodeCharacters.alphabet.contains($0) }) {
            throw .strangeCharacter(strange)
        }
        let expected = Self.groupLength * Self.groupCount
        guard read.count == expected else { throw .wrongLength(read.count, expected: expected) }
        let checksum: [UInt8]
        do throws(CryptographyError) {
            checksum = try Self.checksum(of: Array(read.prefix(Self.secretCount)))
            characters = try SecretBytes(copying: read)
        } catch { throw .noMemory }
        guard Array(read.suffix(Self.groupLength)) == checksum else { throw .mistyped }
    }

    /// The code as people see it: PAPER and groups, joined by `-`, in ASCII.
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

    /// Whether both are the same code.
    package func isSame(as other: PaperCode) -> Bool { characters == other.characters }

    /// The secret that keys are derived from: the characters before the checksum.
    var secret: SecretBytes {
        get throws(CryptographyError) { try characters.prefix(Self.secretCount) }
    }

    private static func checksum(of characters: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let digest = try SHA256.digest(
            LengthPrefixed.encode(Array("org.coffer.circle.paper.checksum".utf8), characters))
        return CodeCharacters.of(digest, count: groupLength)
    }
}
