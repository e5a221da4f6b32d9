import FoundationEssentials

/// Why settings could not be read or written.
///
/// ```swift
/// do { try await settings.flush() } catch where error.code == .busy { showBusy() }
/// ```
public struct SettingsError: Error, Sendable, Equatable {
    /// The kind of failure, stable across versions.
    public enum Code: String, Sendable, CaseIterable {
        /// A name of a setting or of a suite that cannot be used.
        case invalidName = "invalid-name"
        /// The stored value is of another type than the key.
        case wrongType = "wrong-type"
        /// The value has no form in which it can be stored, such as a number that is not finite.
        case notStorable = "not-storable"
        /// The value, or a part of it, is marked as sensitive. Settings are plain text.
        case sensitive
        /// A limit of ``SettingsLimits`` was exceeded.
        case limitExceeded = "limit-exceeded"
        /// The file is no settings file. Nothing was changed.
        case damaged
        /// A newer version of the application, or of Coffer, wrote the settings. Nothing was changed.
        case newerVersion = "newer-version"
        /// A step from one version to the next is missing or failed. Nothing was changed.
        case migrationFailed = "migration-failed"
        /// Others can write the file or its folder, or something else is in its place. Nothing was read.
        case notTrusted = "not-trusted"
        /// Other processes kept the settings locked for too long.
        case busy
        /// The system refused an operation on the file or its folder.
        case unavailable
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, in words for a person.
    public let message: String
    /// What to do about it, in words for a person; empty if there is nothing to do.
    public let advice: String
    /// The error below this one, as a word and its own number (`errno 28`); nil if there is none of use.
    public let cause: String?

    /// - Parameters:
    ///   - message: a clause, without a capital and a full stop.
    ///   - advice: another clause.
    public init(_ code: Code, _ message: String, advice: String = "", cause: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    /// Errors are equal if their codes are, because messages are for people only.
    public static func == (left: SettingsError, right: SettingsError) -> Bool { left.code == right.code }
}

extension SettingsError: CustomStringConvertible {
    /// What happened and what to do, on one line.
    public var description: String { advice.isEmpty ? message : "\(message); \(advice)" }
}

extension SettingsError: LocalizedError {
    /// What happened: ``message``. `localizedDescription` is the same.
    public var errorDescription: String? { message }
    /// The error below this one, if there is one of use: ``cause``.
    public var failureReason: String? { cause }
    /// What to do about it: ``advice``.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
