import Foundation
import Platform

extension Subprocess {
    /// Waits for the program to end by itself; kills it at the limit.
    /// - Parameter limit: for a program that hangs. A slow machine must not reach it.
    /// - Returns: the exit status; 128 and the signal's number if a signal ended it.
    @discardableResult
    public func finish(within limit: Duration = patience) throws -> Int32 {
        if let status = try wait(until: .now + limit) { return status }
        try end()
        throw Tool.Failure(description: "process \(pid) did not end within \(limit)")
    }

    /// Kills the program and returns when it is gone, its pid too.
    public func end() throws {
        signal(SIGKILL)
        guard try wait(until: .now + patience) != nil else {
            throw Tool.Failure(description: "process \(pid) did not end by SIGKILL")
        }
    }

    /// Its output to the end, as text. For short output: errors that nobody reads must not fill a pipe.
    public func readText() throws -> String { String(decoding: try readAll(), as: UTF8.self) }

    public func write(_ text: String) throws { try write(Array(text.utf8)) }
}
