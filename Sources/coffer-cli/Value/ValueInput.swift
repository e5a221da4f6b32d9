import Coffer
import Glibc
import Platform

/// Reads a new value from a person at the terminal, or from standard input.
struct ValueInput {
    /// Drop one newline at the end of piped input.
    let trim: Bool
    /// Accept a value of no bytes.
    let allowsEmpty: Bool

    /// A value, and a warning about it.
    struct Reading {
        var value: [UInt8]
        var warning: String?
    }

    func read(for name: String) throws(KeychainError) -> Reading {
        isatty(STDIN_FILENO) == 1 ? Reading(value: try typed(name)) : try piped()
    }

    /// Asks twice, because nobody sees the typing.
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
            answer = try Terminal().ask(prompt, hidden: true, limit: InputLimits.value)
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

    /// Reads all of standard input, but at most two bytes more than a value can have.
    private func piped() throws(KeychainError) -> Reading {
        var value: [UInt8]
        do {
            // One byte more for a newline that may be dropped, and another to notice a value that is too long.
            value = try StandardInput.read(limit: InputLimits.value + 2)
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
        guard value.count <= InputLimits.value else {
            throw KeychainError(
                .limitExceeded, "the value is larger than 1 MiB (1048576 bytes), so nothing was stored",
                advice: "encrypt the file, and store its key here")
        }
        // A program that failed, or never started, writes nothing. Its empty output must not replace a secret.
        guard allowsEmpty || !value.isEmpty else {
            throw KeychainError(
                .failed, "standard input was empty, so nothing was stored",
                advice: "check whether the program before the pipe failed; to store an empty secret, use --allow-empty")
        }
        return Reading(value: value, warning: warning)
    }
}

/// Makes passwords of letters and digits that no typeface confuses (no 0 O o, no 1 l I). Each character has about 5.8 bits.
enum PasswordGenerator {
    private static let lower = Array("abcdefghijkmnpqrstuvwxyz".utf8)
    private static let upper = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let digits = Array("23456789".utf8)

    /// The randomness comes from the kernel (getrandom(2)), through the standard library's system generator.
    static func password(length: Int) -> [UInt8] {
        let all = lower + upper + digits
        var source = SystemRandomNumberGenerator()
        while true {
            // `randomElement` draws each character with the same probability.
            let password = (0..<length).compactMap { _ in all.randomElement(using: &source) }
            // Websites ask for one of each kind. A password without one is drawn again as a whole.
            let complete = [lower, upper, digits].allSatisfy { kind in password.contains(where: kind.contains) }
            if complete { return password }
        }
    }
}
