import Foundation
import Glibc

/// Standard output and standard error.
enum Output {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes to standard output.
    static func bytes(_ bytes: [UInt8]) throws(ExitStatus) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            note("coffer: standard output cannot be written: it is closed, or no space is left")
            throw .failure
        }
    }

    static func line(_ text: String) throws(ExitStatus) { try bytes(Array((text + "\n").utf8)) }

    /// Writes a line to standard error.
    static func note(_ text: String) {
        // When even this cannot be written there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
