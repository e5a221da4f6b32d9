import BrokerProtocol

/// A person reached through the program that `COFFER_ASKPASS` names: the prompt is its first argument, the answer its output.
/// It ends with another status than 0 when the person gives up, as the programs for `SUDO_ASKPASS` and `SSH_ASKPASS` do.
struct AskPassPerson: Person {
    let program: String
    /// Messages wait for the next question: such a program can only ask.
    private var told: [String] = []

    init(program: String) { self.program = program }

    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {
        told.append(VisibleText.lines(message.text))
    }

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        let prompt = (told + [VisibleText.lines(message.text)]).joined(separator: "\n")
        told = []
        let helper = try HelperProgram(path: program, arguments: [prompt], hangUp: hangUp)
        var bytes = try helper.readAll(limit: TerminalPerson.longestAnswer + 1)
        guard try helper.finish() else { return nil }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let answer = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.invalidArgument, "the answer of \(program) is not UTF-8")
        }
        return answer
    }
}
