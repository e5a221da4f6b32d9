import BrokerProtocol
import Platform

/// Asks a person through the program that `COFFER_ASKPASS` names. The program's output is the answer.
/// If the person gives up, the program ends with a status other than 0, as the programs for `SUDO_ASKPASS` and `SSH_ASKPASS` do.
///
/// Every user of the machine can read a program's arguments, but only its own user can read its environment. So the argument only says that Coffer
/// asks, and `COFFER_ASKPASS_PROMPT` says for what (docs/decisions/0011-askpass.md).
struct AskPassPrompter: Prompter {
    /// The environment variable that holds the question.
    static let variable = "COFFER_ASKPASS_PROMPT"

    let program: String
    private let environment: [String: String]
    private let guardian: ProgramGuardian
    /// Messages to show with the next question, because such a program can only ask.
    private var told: [String] = []

    /// - Parameter environment: the program's environment, apart from `COFFER_ASKPASS_PROMPT`.
    init(program: String, environment: [String: String], guardian: ProgramGuardian) {
        self.program = program
        self.environment = environment
        self.guardian = guardian
    }

    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {
        told.append(VisibleText.prompt(message.text))
    }

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        let prompt = (told + [VisibleText.prompt(message.text)]).joined(separator: "\n")
        told = []
        let helper = try HelperProgram(
            path: program, arguments: [message.style == .secret ? "Password for Coffer: " : "Answer for Coffer: "],
            guardian: guardian, environment: environment.merging([Self.variable: prompt]) { $1 }, hangUp: hangUp)
        // Two bytes more for a line break, CR LF.
        let bytes = try helper.readAll(limit: AnswerLimits.answer + 2)
        guard try helper.finish() else { return nil }
        guard let answer = String(validating: bytes.withoutLineEnd, as: UTF8.self) else {
            throw KeychainError(.invalidArgument, "the answer of \(program) is not UTF-8")
        }
        return answer
    }
}
