import BrokerProtocol
import Circle
import Coffer
import Cryptography
import Glibc
import Platform

/// Reads the code on paper from a person at the terminal, or from standard input. It never takes arguments or the
/// environment, which every program of the user can read.
struct PaperCodeInput {
    /// Reads it until it is well formed, as often as a person may try.
    /// - Returns: the code as it was typed, in one line.
    func read() throws(KeychainError) -> [UInt8] {
        guard isatty(STDIN_FILENO) == 1 else {
            let typed = try piped()
            _ = try Self.code(in: typed)
            return typed
        }
        for _ in 1..<InputLimits.paperCodeTries {
            let typed = try ask("Code on the paper: ")
            do throws(KeychainError) {
                _ = try Self.code(in: typed)
                return typed
            } catch { Output.note("coffer: \(error.message); \(error.advice)") }
        }
        let typed = try ask("Code on the paper: ")
        _ = try Self.code(in: typed)
        return typed
    }

    func ask(_ question: String) throws(KeychainError) -> [UInt8] {
        let message = Authentication.Message(style: .visible, text: question)
        guard let answer = try TerminalPrompter(guardian: .thisProgram).ask(message, hangUp: -1) else {
            throw .cancelledByPerson
        }
        return Self.line(Array(answer.utf8.prefix(InputLimits.paperCode + 1)))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        do throws(SystemError) {
            return Self.line(try StandardInput.read(limit: InputLimits.paperCode + 1))
        } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "type the code at a terminal")
        }
    }

    /// Any separators between a code's groups will do.
    private static func line(_ typed: [UInt8]) -> [UInt8] {
        typed.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }

    static func code(in typed: [UInt8]) throws(KeychainError) -> PaperCode {
        let bytes: SecretBytes
        do throws(CryptographyError) { bytes = try SecretBytes(copying: typed) } catch { throw noMemory }
        do throws(PaperCodeError) { return try PaperCode(reading: bytes) } catch {
            guard error != .noMemory else { throw noMemory }
            throw KeychainError(
                .invalidArgument, error.reason,
                advice: "type all of it, with PAPER and six groups of five, without the letters I, L, O and U")
        }
    }

    static let noMemory = KeychainError(.failed, "the code cannot be kept in memory", advice: "free some memory")
}
