import BrokerProtocol
import Coffer
import Glibc
import Platform

/// Reads a recovery code from a person at the terminal, or from standard input. It never takes arguments or the environment, which every program of
/// the user can read.
struct RecoveryCodeInput {
    /// Opens a file with a code. The code's checksum shows a mistyped code before the file is opened, and the person types it again.
    func open(_ vault: inout OldVaultReading) throws(KeychainError) {
        guard isatty(STDIN_FILENO) == 1 else { return try vault.open(with: piped()) }
        for _ in 1..<InputLimits.recoveryTries {
            let code = try ask()
            do throws(KeychainError) { return try vault.open(with: code) } catch {
                guard error.code == .invalidArgument else { throw error }
                Output.note("coffer: \(error.message); type it again")
            }
        }
        try vault.open(with: ask())
    }

    private func ask() throws(KeychainError) -> [UInt8] {
        let message = Authentication.Message(style: .visible, text: "Recovery code: ")
        guard let answer = try TerminalPrompter().ask(message, hangUp: -1) else { throw .cancelledByPerson }
        return Array(answer.utf8.prefix(InputLimits.recoveryCode + 1))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        do { return try StandardInput.read(limit: InputLimits.recoveryCode + 1) } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was restored")
        }
    }
}
