import Glibc
import Platform

/// Writes to standard output and standard error.
enum Output {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The terminal's width, if standard output is a terminal that gives one.
    static var columns: Int? { Terminal.columns(of: STDOUT_FILENO) }

    /// Writes to standard output.
    static func bytes(_ bytes: [UInt8]) throws(ExitStatus) {
        do throws(SystemError) {
            try StandardOutput.write(bytes)
        } catch {
            // A reader such as head may stop early, which is no error. The status shows that not everything was written.
            guard error.errno != EPIPE else { throw .failure }
            note("coffer: cannot write to standard output: it is closed, or no space is left")
            throw .failure
        }
    }

    static func line(_ text: String) throws(ExitStatus) { try bytes(Array((text + "\n").utf8)) }

    /// Writes a line to standard error.
    static func note(_ text: String) {
        // If even this cannot be written, there is nobody left to tell.
        try? StandardOutput.writeError(Array((text + "\n").utf8))
    }
}
