import BrokerProtocol
import Coffer
import Cryptography
import Foundation
import Glibc
import Vault

/// Where a recovery code comes from: a person at the terminal, or standard input. Never an argument and never the environment, which every program of the
/// user can read.
struct RecoveryCodeInput {
    private static let tries = 3
    /// Far more than a code with any spacing.
    private static let limit = 512

    /// A code whose checksum fits; a mistyped one is found here, before any file is opened.
    func read() throws(KeychainError) -> RecoveryCode {
        isatty(STDIN_FILENO) == 1 ? try typed() : try Self.parse(piped())
    }

    private func typed() throws(KeychainError) -> RecoveryCode {
        for _ in 1..<Self.tries {
            do throws(KeychainError) { return try ask() } catch {
                guard error.code == .invalidArgument else { throw error }
                Output.note("coffer: \(error.message); type it again")
            }
        }
        return try ask()
    }

    private func ask() throws(KeychainError) -> RecoveryCode {
        let message = Authentication.Message(style: .visible, text: "Recovery code: ")
        guard let answer = try TerminalPerson().ask(message, hangUp: -1) else { throw .cancelledByPerson }
        return try Self.parse(Array(answer.utf8))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while bytes.count <= Self.limit,
                let more = try FileHandle.standardInput.read(upToCount: Self.limit + 1 - bytes.count), !more.isEmpty
            {
                bytes += more
            }
        } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was restored")
        }
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) throws(KeychainError) -> RecoveryCode {
        let text: SecretBytes
        do { text = try SecretBytes(copying: bytes) } catch {
            throw KeychainError(.failed, "there is no memory for the code")
        }
        do throws(RecoveryCodeError) { return try RecoveryCode(reading: text) } catch {
            throw KeychainError(
                .invalidArgument, error.description,
                advice: "compare it with what you wrote down: six groups of five, no O, I, L or U among the letters")
        }
    }
}
