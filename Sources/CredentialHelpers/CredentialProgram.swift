import ArgumentParser
import Coffer
import Glibc
import Platform

/// What the two programs share: they begin, and they report errors as one line.
enum CredentialProgram {
    static func harden() throws(KeychainError) {
        do throws(SystemError) { try ProcessHardening.apply() } catch {
            throw KeychainError(.failed, "this process cannot be protected", cause: error.description)
        }
    }

    static func write(_ bytes: [UInt8]) throws(KeychainError) {
        do throws(SystemError) { try StandardOutput.write(bytes) } catch {
            throw KeychainError(
                .failed, "the answer cannot be written",
                advice: "run it with a standard output that is open and has room", cause: error.description)
        }
    }

    /// Writes help or a version, and ends the program. The parser would not notice a disk that is full.
    /// - Parameter fail: says what went wrong, and ends the program.
    static func show(_ text: String, orElse fail: (KeychainError) -> Never) -> Never {
        do throws(KeychainError) { try write(Array("\(text)\n".utf8)) } catch { fail(error) }
        exit(0)
    }

    /// Ctrl-C at a question ends the program by its signal, so that it ends a shell's loop, too.
    static func endIfInterrupted() {
        if Terminal.isInterrupted { SignalEnd.interrupt() }
    }

    static func line(_ error: KeychainError) -> String { VisibleText.sentence(error.description) }

    /// The first line of an error of the command line, such as `Unexpected argument 'x'`.
    static func usageLine(_ message: String) -> String {
        let line = message.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
        return VisibleText.sentence(String(line.hasSuffix(".") ? line.dropLast() : line[...]))
    }

    static func note(_ line: String) {
        // `try?`: there is no other place to report to.
        try? StandardOutput.writeError(Array("\(line)\n".utf8))
    }
}
