import BrokerProtocol
import Platform
import Synchronization

/// Asks a person at the controlling terminal, even if standard input and output are redirected.
package struct TerminalPrompter: Prompter {
    private let guardian: ProgramGuardian?
    private let shown: ShownNotice?

    /// - Parameters:
    ///   - guardian: gives the terminal its echo back if this process is killed while it asks; nil to ask without.
    ///   - shown: the notice of an earlier try; nil to show every notice whole.
    package init(guardian: ProgramGuardian? = nil, shown: ShownNotice? = nil) {
        self.guardian = guardian
        self.shown = shown
    }

    /// Whether there is a controlling terminal at which this process may ask.
    package static var isPresent: Bool { isInForeground == true }

    /// Whether there is a controlling terminal, but other programs use it now.
    package static var isInBackground: Bool { isInForeground == false }

    /// nil without a terminal.
    private static var isInForeground: Bool? {
        // `try?`: without a terminal there is nothing to open.
        guard let terminal = try? Terminal() else { return nil }
        return terminal.isForeground
    }

    package func tell(_ message: Authentication.Message) throws(KeychainError) {
        let text = VisibleText.prompt(message.text)
        do throws(SystemError) {
            let terminal = try Terminal()
            if message.style == .info, shown?.note(text) == true {
                return try terminal.write(PromptLines.first(of: text) + "\n")
            }
            try terminal.write(text + "\n")
            let items = PromptLines.items(in: text)
            // The first lines have left the screen, and with them the number of items.
            if items > 0, let size = terminal.size, size.rows <= PromptLines.rows(of: text, columns: size.columns) {
                try terminal.write("\(items) items in all\n")
            }
        } catch {
            throw Self.lost(error)
        }
    }

    package func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        let answer: Terminal.Answer
        do throws(SystemError) {
            let prompt = VisibleText.prompt(message.text)
            answer = try Terminal().ask(
                prompt, hidden: message.style == .secret, limit: AnswerLimits.answer, wakeUp: hangUp,
                guardian: guardianProgram)
        } catch {
            throw Self.lost(error)
        }
        switch answer {
        case .cancelled: return nil
        case .line(let bytes) where SuspendKey.isIn(bytes):
            try tell(.init(style: .error, text: SuspendKey.notice))
            return try ask(message, hangUp: hangUp)
        case .line(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                // No wrong password: it would be asked for again, and would arrive in the same way.
                throw KeychainError(.invalidArgument, "the input is not UTF-8", advice: "set the terminal to UTF-8")
            }
            return text
        }
    }

    /// Without `coffer` in PATH, an application asks without a guard.
    private var guardianProgram: (path: String, arguments: [String])? {
        guard let path = try? guardian?.path() else { return nil }
        return (path, ["coffer", HelperProgram.terminalGuardCommand])
    }

    private static func lost(_ error: SystemError) -> KeychainError {
        KeychainError(
            .authenticationNeeded, "the terminal is gone: \(error.reason)", advice: "run the command in a terminal")
    }
}

/// What a command has shown. After a wrong password the same notice is due again, and its first line is enough.
package final class ShownNotice: Sendable {
    private let texts = Mutex<Set<String>>([])

    package init() {}

    /// - Returns: whether the text was shown before.
    func note(_ text: String) -> Bool { texts.withLock { !$0.insert(text).inserted } }
}

/// Ctrl-Z at a prompt. While the terminal's echo is off, nothing suspends the program, so the key arrives as a character. It is never part of an
/// answer.
package enum SuspendKey {
    private static let character: UInt8 = 0x1A

    /// Shown before the question is repeated.
    package static let notice =
        "Ctrl-Z does not suspend Coffer while it asks you. Type your answer again, or cancel with Ctrl-C."

    package static func isIn(_ answer: [UInt8]) -> Bool { answer.contains(character) }
}
