/// Why a keychain operation did not happen.
public struct KeychainError: Error, Sendable, Equatable {
    /// What kind of failure it is; stable across versions.
    public let code: Code
    /// What happened, in words for a person. Never holds a secret.
    public let message: String
    /// What to do about it, in words for a person; empty where the message says it already.
    public let advice: String
    /// The accounts to choose from, for `.ambiguous`.
    public let accounts: [String]
    /// The TPM's own response code, 0 where there is none.
    public let tpmCode: Int64

    public init(_ code: Code, _ message: String, advice: String = "", accounts: [String] = [], tpmCode: Int64 = 0) {
        self.code = code
        self.message = message
        self.advice = advice
        self.accounts = accounts
        self.tpmCode = tpmCode
    }

    /// Errors are equal when their codes are: messages are for people.
    public static func == (left: KeychainError, right: KeychainError) -> Bool { left.code == right.code }
}

extension KeychainError {
    /// A sentence as it goes on after a colon: no capital (but that of an abbreviation), no full stop.
    package static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        guard let first = text.first, let second = text.dropFirst().first, second.isLowercase else {
            return String(text)
        }
        return first.lowercased() + text.dropFirst()
    }
}

extension KeychainError: CustomStringConvertible {
    /// What happened and what to do, on one line.
    public var description: String {
        guard !advice.isEmpty else { return message }
        // A message from elsewhere may be a whole sentence.
        return "\(message.hasSuffix(".") ? String(message.dropLast()) : message); \(advice)"
    }
}
