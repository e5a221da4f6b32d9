import Coffer
import Glibc
import Platform

/// Reads a new value from a person at the terminal, or from standard input.
struct ValueInput {
    /// Drop one line break at the end of piped input.
    let trim: Bool
    /// Accept a value of no bytes.
    let allowsEmpty: Bool
    /// At a terminal, read several lines; the text is the line that ends them, besides Ctrl-D.
    var lastLine: String?
    /// Whether the value is the content of a file. It is piped in, and ends as it ends.
    var isFile = false

    /// A value, and a warning about it.
    struct Reading {
        var value: [UInt8]
        var warning: String?
    }

    func read(for name: String) throws(KeychainError) -> Reading {
        guard isatty(STDIN_FILENO) == 1 else { return try piped() }
        guard !isFile else {
            throw KeychainError(
                .invalidArgument, "standard input is the terminal, and not a file, so nothing was stored",
                advice: "name the file after a <, as in: coffer set … --file-field NAME <FILE")
        }
        return Reading(value: try typed(name))
    }

    /// Asks twice, because nobody sees the typing. Several lines are typed once, and counted.
    private func typed(_ name: String) throws(KeychainError) -> [UInt8] {
        if let lastLine { return try lines(name, until: lastLine) }
        let first = try ask("Secret for \(name): ")
        guard allowsEmpty || !first.isEmpty else { throw Self.nothingTyped }
        guard first == (try ask("Once more: ")) else {
            throw KeychainError(
                .failed, "the two entries differ, so nothing was stored", advice: "run the command again")
        }
        return first
    }

    private func lines(_ name: String, until last: String) throws(KeychainError) -> [UInt8] {
        let end = last.isEmpty ? "Ctrl-D" : "Ctrl-D or the line \(VisibleText.quoted(last))"
        let prompt = "Secret for \(name), not shown; end with \(end):\n"
        let answer: Terminal.Lines
        do throws(SystemError) {
            answer = try Terminal().askLines(
                prompt, until: last.isEmpty ? nil : Array(last.utf8), limit: InputLimits.value,
                guardian: Terminal.guardian)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)", advice: "pipe the value in instead")
        }
        switch answer {
        case .cancelled: throw KeychainError(.cancelled, "cancelled", advice: "nothing was stored")
        case .tooLong: throw Self.tooLong
        case .text(let lines):
            guard !lines.contains(where: SuspendKey.isIn) else {
                try TerminalPrompter().tell(.init(style: .error, text: SuspendKey.notice))
                return try self.lines(name, until: last)
            }
            var value = lines.flatMap { $0 }
            // One line is a password, and several are a file, whose last line ends as the others do.
            if lines.count == 1 || trim, value.last == UInt8(ascii: "\n") { value.removeLast() }
            guard !value.isEmpty || allowsEmpty else { throw Self.nothingTyped }
            try TerminalPrompter().tell(
                .init(
                    style: .info,
                    text:
                        "\(lines.count) line\(lines.count == 1 ? "" : "s"), \(value.count) byte\(value.count == 1 ? "" : "s")"
                ))
            return value
        }
    }

    private static var nothingTyped: KeychainError {
        KeychainError(
            .failed, "nothing was typed, so nothing was stored", advice: "to store an empty secret, use --allow-empty")
    }

    static var tooLong: KeychainError {
        KeychainError(
            .limitExceeded, "the value is larger than 1 MiB (1048576 bytes), so nothing was stored",
            advice: "encrypt the file, and store its key here")
    }

    private func ask(_ prompt: String) throws(KeychainError) -> [UInt8] {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(prompt, hidden: true, limit: InputLimits.value, guardian: Terminal.guardian)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)", advice: "pipe the value in instead")
        }
        switch answer {
        case .line(let bytes) where SuspendKey.isIn(bytes):
            try TerminalPrompter().tell(.init(style: .error, text: SuspendKey.notice))
            return try ask(prompt)
        case .line(let bytes): return bytes
        case .cancelled: throw KeychainError(.cancelled, "cancelled", advice: "nothing was stored")
        }
    }

    /// Reads all of standard input, but at most three bytes more than a value can have.
    private func piped() throws(KeychainError) -> Reading {
        var value: [UInt8]
        do {
            // Two bytes more for a line break that may be dropped, and another to notice a value that is too long.
            value = try StandardInput.read(limit: InputLimits.value + 3)
        } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was stored")
        }
        var warning: String?
        if value.last == UInt8(ascii: "\n") {
            if trim {
                value = Array(value.withoutLineEnd)
            } else if !isFile, !value.dropLast().contains(UInt8(ascii: "\n")) {
                // In a text of several lines, such as a private key, the last one ends as the others do.
                warning = "the value ends with a newline, which was kept; --trim drops it"
            }
        }
        guard value.count <= InputLimits.value else { throw Self.tooLong }
        // A program that failed, or never started, writes nothing. Its empty output must not replace a secret.
        guard allowsEmpty || !value.isEmpty else {
            throw KeychainError(
                .failed, "standard input was empty, so nothing was stored",
                advice: "check whether the program before the pipe failed; to store an empty secret, use --allow-empty")
        }
        return Reading(value: value, warning: warning)
    }
}
