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
                ? "the code is too short: \(count) of \(expected) letters and digits"
                : "the code is too long: \(count) letters and digits, a code has \(expected)"
        case .strangeCharacter(let byte):
            (0x21...0x7E).contains(byte)
                ? "no code has the character “\(Character(UnicodeScalar(byte)))”"
                : "the code holds something else than letters and digits"
        case .mistyped: "the code is mistyped: its checksum does not fit"
        case .noMemory: "there is no memory for the code"
        }
    }
}
