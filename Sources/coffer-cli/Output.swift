import Glibc
import Platform

/// Standard output and standard error.
enum Output {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How wide the terminal is, where it is one and says so.
    static var columns: Int? { Terminal.columns(of: STDOUT_FILENO) }

    /// Writes to standard output.
    static func bytes(_ bytes: [UInt8]) throws(ExitStatus) {
        do throws(SystemError) {
            try StandardOutput.write(bytes)
        } catch {
            // A reader that has seen enough, as head has, is no mishap; the status says that not all was taken.
            guard error.errno != EPIPE else { throw .failure }
            note("coffer: cannot write to standard output: it is closed, or no space is left")
            throw .failure
        }
    }

    static func line(_ text: String) throws(ExitStatus) { try bytes(Array((text + "\n").utf8)) }

    /// Writes a line to standard error.
    static func note(_ text: String) {
        // When even this cannot be written there is nobody left to tell.
        try? StandardOutput.writeError(Array((text + "\n").utf8))
    }
}
