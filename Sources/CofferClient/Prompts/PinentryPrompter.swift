import BrokerProtocol
import Platform

/// Asks a person at a display through pinentry, GnuPG's dialog, in the lines of the Assuan protocol.
struct PinentryPrompter: Prompter {
    /// In the order in which they are tried.
    private let programs: [String]
    private let environment: [String: String]
    private let guardian: ProgramGuardian
    private var told: [String] = []

    /// - Parameters:
    ///   - programs: at least one.
    ///   - environment: names the display.
    init(programs: [String], environment: [String: String], guardian: ProgramGuardian) {
        self.programs = programs
        self.environment = environment
        self.guardian = guardian
    }

    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {
        told.append(VisibleText.prompt(message.text))
    }

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        let description = told.isEmpty ? "Coffer asks for you." : told.joined(separator: "\n")
        told = []
        var obstacle = "there is none"
        for program in programs {
            let helper = try HelperProgram(
                path: program, arguments: [], guardian: guardian, environment: environment, hangUp: hangUp)
            let outcome = try Self.converse(
                with: helper, description: description, prompt: VisibleText.line(message.text), hangUp: hangUp)
            // The program was told to end. Only its answer counts, not its status.
            _ = try helper.finish()
            switch outcome {
            case .answer(let data):
                guard let answer = String(validating: data, as: UTF8.self) else {
                    throw KeychainError(.invalidArgument, "the answer of \(program) is not UTF-8")
                }
                return answer
            case .none: return nil
            // pinentry-gnome3, for example, needs a part of GNOME to show anything. Nobody was asked, so the next one asks.
            case .unable(let words): obstacle = words
            }
        }
        throw KeychainError(
            .authenticationNeeded, "pinentry cannot ask: \(VisibleText.sentence(obstacle))",
            advice: "run the command in a terminal")
    }

    private enum Outcome {
        case answer([UInt8])
        /// The person gives up, or nobody waits for the answer.
        case none
        /// It cannot show a dialog, in its own words.
        case unable(String)
    }

    private static func converse(
        with helper: borrowing HelperProgram, description: String, prompt: String, hangUp: Int32
    ) throws(KeychainError) -> Outcome {
        switch try result(of: helper) {
        case .data: break
        // One that cannot even begin: a library is missing, or no display of its kind is there.
        case .ended where !isHungUp(hangUp): return .unable("it ended before it could ask")
        case .refused(let words): return .unable(words)
        case .ended, .cancelled: return .none
        }
        for command in [
            "SETTITLE Coffer", "SETDESC \(Assuan.escape(description))", "SETPROMPT \(Assuan.escape(prompt))",
        ] {
            try helper.write(command + "\n")
            switch try result(of: helper) {
            case .data: continue
            case .ended: return .none
            case .cancelled: return .none
            case .refused:
                // Its lines have a length that it takes (1000 bytes). Who is not shown what is asked for is not asked.
                throw KeychainError(
                    .authenticationNeeded, "the request is too long for pinentry",
                    advice: "run the command in a terminal")
            }
        }
        try helper.write("GETPIN\n")
        let answer = try result(of: helper)
        // `try?`: the answer is there, and a program that has ended needs no farewell.
        try? helper.write("BYE\n")
        switch answer {
        case .data(let data): return .answer(data)
        case .cancelled, .ended: return .none
        case .refused(let words): return .unable(words)
        }
    }

    /// Whether nobody waits for the answer any longer.
    private static func isHungUp(_ descriptor: Int32) -> Bool {
        // `try?`: if that cannot be told, nobody is asked once more.
        (try? Readiness.wait(for: [(descriptor, .input)], until: .now)[0]) ?? true
    }

    private enum Reply {
        /// The data before an OK.
        case data([UInt8])
        /// The person has closed the dialog.
        case cancelled
        /// An ERR line, with pinentry's own words.
        case refused(String)
        /// The program has ended, or nobody waits for it.
        case ended
    }

    /// Reads up to OK or ERR.
    private static func result(of helper: borrowing HelperProgram) throws(KeychainError) -> Reply {
        var data: [UInt8] = []
        // Assuan lines have at most 1000 bytes, and an answer fits into a few of them.
        while let line = try helper.readLine(limit: AnswerLimits.assuanLine), data.count <= AnswerLimits.assuanData {
            if line.starts(with: "OK".utf8) { return .data(data) }
            if line.starts(with: "ERR".utf8) { return failure(line) }
            if line.starts(with: "D ".utf8) { data += Assuan.unescape(line.dropFirst(2)) }
        }
        return .ended
    }
}

extension PinentryPrompter {
    /// libgpg-error's codes for a person who gives up: timeout, cancelled, not confirmed, fully cancelled.
    private static let givingUp = [62, 99, 114, 198]

    /// - Parameter line: ERR, a number whose low 16 bits are libgpg-error's code, and words.
    private static func failure(_ line: [UInt8]) -> Reply {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count > 1, let number = Int(words[1]) else { return .refused("it gave no reason") }
        if givingUp.contains(number & 0xFFFF) { return .cancelled }
        return .refused(words.count > 2 ? String(words[2]) : "error \(number)")
    }
}

/// Escapes in Assuan's lines. An escape is a percent sign and two hexadecimal digits.
enum Assuan {
    static func escape(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": line += "%25"
            case "\n": line += "%0A"
            case "\r": line += "%0D"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// A percent sign that starts no escape stands for itself.
    static func unescape(_ line: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
