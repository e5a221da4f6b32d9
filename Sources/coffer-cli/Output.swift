import Foundation
import Glibc
import Platform

/// Standard output and standard error.
enum Output {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How wide the terminal is, where it is one and says so.
    static var columns: Int? { Terminal.columns(of: STDOUT_FILENO) }

    /// Writes to standard output.
    static func bytes(_ bytes: [UInt8]) throws(ExitStatus) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            // A reader that has seen enough, as head has, is no mishap; the status says that not all was taken.
            guard !isBrokenPipe(error) else { throw .failure }
            note("coffer: standard output cannot be written: it is closed, or no space is left")
            throw .failure
        }
    }

    static func line(_ text: String) throws(ExitStatus) { try bytes(Array((text + "\n").utf8)) }

    private static func isBrokenPipe(_ error: any Error) -> Bool {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return cause?.domain == NSPOSIXErrorDomain && cause?.code == Int(EPIPE)
    }

    /// Writes a line to standard error.
    static func note(_ text: String) {
        // When even this cannot be written there is nobody left to tell.
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
