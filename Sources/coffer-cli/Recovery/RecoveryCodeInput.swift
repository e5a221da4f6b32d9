import BrokerProtocol
import Coffer
import Glibc
import Platform

/// Where a recovery code comes from: a person at the terminal, or standard input. Never an argument and never the environment, which every program of the
/// user can read.
struct RecoveryCodeInput {
    private static let tries = 3
    /// Far more than a code with any spacing.
    private static let limit = 512

    /// Opens a file with a code whose checksum fits; a mistyped one is found before the file is opened, and typed again.
    func open(_ vault: inout OldVaultReading) throws(KeychainError) {
        guard isatty(STDIN_FILENO) == 1 else { return try vault.open(with: piped()) }
        for _ in 1..<Self.tries {
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
        return Array(answer.utf8.prefix(Self.limit + 1))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        do { return try StandardInput.read(limit: Self.limit + 1) } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was restored")
        }
    }
}
