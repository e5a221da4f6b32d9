import Coffer

/// A code that is shown once, at a terminal where a person can answer.
enum ShownOnce {
    /// - Parameter code: "a recovery code".
    static func checkTerminal(for code: String, _ session: CommandSession) throws(KeychainError) {
        let advice = "run it in a terminal; or use --script, and keep its output like a key"
        guard Output.isTerminal else {
            throw KeychainError(
                .invalidArgument, "\(code) is shown only on a terminal, and standard output is not one", advice: advice)
        }
        guard let obstacle = session.terminalObstacle else { return }
        throw KeychainError(
            .invalidArgument, "\(code) is shown only where you can answer, but \(obstacle.reason)",
            advice: TerminalPrompter.isInBackground ? obstacle.advice(ShellText.askingAgain) : advice)
    }
}
