import Coffer

extension KeychainError {
    /// The same error, of a command that had done a part of its work when the person gave up.
    /// - Parameter advice: what became of that part, and of the rest.
    func afterPart(_ advice: String) -> KeychainError {
        code == .cancelled ? KeychainError(code, message, advice: advice, cause: cause) : self
    }
}
