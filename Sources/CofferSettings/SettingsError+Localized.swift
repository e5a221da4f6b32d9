import FoundationEssentials

extension SettingsError: LocalizedError {
    /// What happened: ``message``. `localizedDescription` is the same.
    public var errorDescription: String? { message }
    /// The error below this one, if there is one of use: ``cause``.
    public var failureReason: String? { cause }
    /// What to do about it: ``advice``.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
