import Foundation
import Platform

extension Subprocess {
    /// Waits for the program to end by itself, and kills it at the limit.
    /// - Parameter limit: catches a program that hangs. A slow machine must not reach it.
    /// - Returns: the exit status, or 128 plus the signal's number if a signal ended it.
    @discardableResult
    public func finish(within limit: Duration = patience) throws -> Int32 {
        if let status = try wait(until: .now + limit) { return status }
        try end()
        throw Tool.Failure(description: "process \(pid) did not end within \(limit)")
    }

    /// Kills the program, and returns when it is gone and reaped.
    public func end() throws {
        signal(SIGKILL)
        guard try wait(until: .now + patience) != nil else {
            throw Tool.Failure(description: "process \(pid) did not end by SIGKILL")
        }
    }

    /// Reads its output to the end, as text. Use it for short output, because a pipe of errors that nobody reads must not fill up.
    public func readText() throws -> String { String(decoding: try readAll(), as: UTF8.self) }

    public func write(_ text: String) throws { try write(Array(text.utf8)) }
}
