/// Why a keychain operation failed.
public struct KeychainError: Error, Sendable, Equatable {
    /// The kind of failure, stable across versions.
    public let code: Code
    /// What happened, in words for a person. It never holds a secret.
    public let message: String
    /// What to do about it, in words for a person; empty if the message already says it.
    public let advice: String
    /// The accounts to choose from, for `.ambiguous`.
    public let accounts: [String]
    /// The TPM's own response code; 0 if there is none.
    public let tpmCode: Int64

    public init(_ code: Code, _ message: String, advice: String = "", accounts: [String] = [], tpmCode: Int64 = 0) {
        self.code = code
        self.message = message
        self.advice = advice
        self.accounts = accounts
        self.tpmCode = tpmCode
    }

    /// Errors are equal if their codes are, because messages are for people only.
    public static func == (left: KeychainError, right: KeychainError) -> Bool { left.code == right.code }
}

extension KeychainError {
    /// Changes a sentence so that it can follow a colon: no full stop, and no capital unless an abbreviation starts it.
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
        // A message from the broker or authenticator may be a whole sentence.
        return "\(message.hasSuffix(".") ? String(message.dropLast()) : message); \(advice)"
    }
}
