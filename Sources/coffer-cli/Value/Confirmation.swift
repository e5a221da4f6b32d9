import Coffer
import Glibc
import Platform

/// Asks a person at the terminal to confirm something that cannot be undone.
enum Confirmation {
    /// Whether somebody sits at the terminal. Piped input, such as a secret, does not mean that nobody does.
    static var isPossible: Bool {
        TerminalPrompter.isPresent && (isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1)
    }

    /// - Throws: `.cancelled` for Ctrl-C.
    /// - Parameter flag: the option to suggest if the terminal cannot be used.
    static func isGiven(_ question: String, orSkipWith flag: String) throws(KeychainError) -> Bool {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(question, hidden: false, limit: InputLimits.confirmation)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)",
                advice: "use \(flag) to go on without confirmation")
        }
        guard case .line(let bytes) = answer else { throw .cancelledByPerson }
        return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }
}
