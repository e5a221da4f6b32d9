import Coffer
import Glibc
import Platform

/// Where a new value comes from: a person at the terminal, or standard input.
struct ValueInput {
    /// The most bytes a value can have.
    static let limit = 1 << 20
    /// Drop one newline at the end of what is piped.
    let trim: Bool
    /// Take a value of no bytes.
    let allowsEmpty: Bool

    /// A value and what should be said about it.
    struct Reading {
        var value: [UInt8]
        var warning: String?
    }

    func read(for name: String) throws(KeychainError) -> Reading {
        isatty(STDIN_FILENO) == 1 ? Reading(value: try typed(name)) : try piped()
    }

    /// Asked twice, because nobody sees what is typed.
    private func typed(_ name: String) throws(KeychainError) -> [UInt8] {
        let first = try ask("Secret for \(name): ")
        guard allowsEmpty || !first.isEmpty else {
            throw KeychainError(
                .failed, "nothing was typed, so nothing was stored",
                advice: "to store an empty secret, use --allow-empty")
        }
        guard first == (try ask("Once more: ")) else {
            throw KeychainError(
                .failed, "the two entries differ, so nothing was stored", advice: "run the command again")
        }
        return first
    }

    private func ask(_ prompt: String) throws(KeychainError) -> [UInt8] {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(prompt, hidden: true, limit: Self.limit)
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

    /// All of standard input, but never much more than a value can have.
    private func piped() throws(KeychainError) -> Reading {
        var value: [UInt8]
        do {
            // One byte more for the newline that may be dropped, one more to see that there is too much.
            value = try StandardInput.read(limit: Self.limit + 2)
        } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was stored")
        }
        var warning: String?
        if value.last == UInt8(ascii: "\n") {
            if trim {
                value.removeLast()
            } else {
                warning = "the value ends with a newline, which was kept; --trim drops it"
            }
        }
        guard value.count <= Self.limit else {
            throw KeychainError(
                .limitExceeded, "the value is larger than 1 MiB (1048576 bytes), so nothing was stored",
                advice: "encrypt the file, and store its key here")
        }
        // What failed, or was never started, writes nothing: that is no secret to put in the place of another.
        guard allowsEmpty || !value.isEmpty else {
            throw KeychainError(
                .failed, "standard input was empty, so nothing was stored",
                advice: "check whether the program before the pipe failed; to store an empty secret, use --allow-empty")
        }
        return Reading(value: value, warning: warning)
    }
}
