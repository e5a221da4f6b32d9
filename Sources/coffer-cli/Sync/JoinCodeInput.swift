import BrokerProtocol
import Circle
import Coffer
import Cryptography
import Glibc
import Platform

/// Reads the code of a machine that joins, from a person at the terminal or from standard input. It never takes
/// arguments, which every program of the user can read.
struct JoinCodeInput {
    /// - Returns: the code in its usual spelling.
    func read() throws(KeychainError) -> String {
        guard isatty(STDIN_FILENO) == 1 else { return try Self.code(in: piped()) }
        for _ in 1..<InputLimits.joinCodeTries {
            let typed = try ask()
            do throws(KeychainError) { return try Self.code(in: typed) } catch {
                Output.note("coffer: \(error.message); \(error.advice)")
            }
        }
        return try Self.code(in: ask())
    }

    private func ask() throws(KeychainError) -> [UInt8] {
        let message = Authentication.Message(style: .visible, text: "Code that the new machine shows: ")
        guard let answer = try TerminalPrompter(guardian: .thisProgram).ask(message, hangUp: -1) else {
            throw .cancelledByPerson
        }
        return Array(answer.utf8.prefix(InputLimits.joinCode + 1))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        do throws(SystemError) { return try StandardInput.read(limit: InputLimits.joinCode + 1) } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "type the code at a terminal")
        }
    }

    /// Checks what was typed before anything is asked of the broker.
    static func code(in typed: [UInt8]) throws(KeychainError) -> String {
        let bytes: SecretBytes
        do throws(CryptographyError) { bytes = try SecretBytes(copying: typed.withoutLineEnd) } catch { throw noMemory }
        let code: JoinCode
        do throws(JoinCodeError) { code = try JoinCode(reading: bytes) } catch { throw refusal(of: error) }
        do throws(CryptographyError) {
            return try code.text.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        } catch { throw noMemory }
    }

    private static func refusal(of mistake: JoinCodeError) -> KeychainError {
        let again = "type the whole code that the new machine shows, with JOIN"
        return switch mistake {
        case .prefix:
            KeychainError(
                .invalidArgument, "that is no code of a machine that joins: such a code begins with JOIN",
                advice: "run on the new machine: coffer sync join FOLDER")
        case .wrongLength(let count, let expected):
            KeychainError(
                .invalidArgument, "the code has \(count) characters after JOIN, and should have \(expected)",
                advice: again)
        case .strangeCharacter(let byte):
            KeychainError(
                .invalidArgument,
                "no code has the character “\(VisibleText.line(String(decoding: [byte], as: UTF8.self)))”",
                advice: again)
        case .mistyped: KeychainError(.invalidArgument, "a character of the code is wrong", advice: again)
        case .noMemory: noMemory
        }
    }

    private static let noMemory = KeychainError(
        .failed, "the code cannot be kept in memory", advice: "free some memory")
}
