import BrokerProtocol

/// A person at a display, reached through pinentry (GnuPG's dialog; the Assuan protocol's lines).
struct PinentryPerson: Person {
    let program: String
    private var told: [String] = []

    init(program: String) { self.program = program }

    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {
        told.append(VisibleText.lines(message.text))
    }

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        let description = told.isEmpty ? "Coffer asks for you." : told.joined(separator: "\n")
        told = []
        let helper = try HelperProgram(path: program, arguments: [], hangUp: hangUp)
        let data = try Self.converse(
            with: helper, description: description, prompt: VisibleText.line(message.text))
        // It has been told to go, and its answer is what counts.
        _ = try helper.finish()
        guard let data else { return nil }
        guard let answer = String(validating: data, as: UTF8.self) else {
            throw KeychainError(.invalidArgument, "the answer of \(program) is not UTF-8")
        }
        return answer
    }

    /// - Returns: the answer; nil when the person gives up, and when nobody waits for it any more.
    private static func converse(
        with helper: borrowing HelperProgram, description: String, prompt: String
    ) throws(KeychainError) -> [UInt8]? {
        guard try result(of: helper) != nil else { return nil }
        for command in [
            "SETTITLE Coffer", "SETDESC \(Assuan.escape(description))", "SETPROMPT \(Assuan.escape(prompt))",
        ] {
            try helper.write(command + "\n")
            _ = try result(of: helper)
        }
        try helper.write("GETPIN\n")
        let data = try result(of: helper)
        try helper.write("BYE\n")
        return data
    }

    /// Reads up to OK or ERR.
    /// - Returns: the data before an OK; nil for an ERR, which is how a closed dialog looks.
    private static func result(of helper: borrowing HelperProgram) throws(KeychainError) -> [UInt8]? {
        var data: [UInt8] = []
        // Assuan lines have at most 1000 bytes; an answer fits a few of them.
        while let line = try helper.readLine(limit: 1000), data.count <= 4096 {
            if line.starts(with: "OK".utf8) { return data }
            if line.starts(with: "ERR".utf8) { return nil }
            if line.starts(with: "D ".utf8) { data += Assuan.unescape(line.dropFirst(2)) }
        }
        return nil
    }
}
