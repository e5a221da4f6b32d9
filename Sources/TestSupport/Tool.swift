import Foundation
import Platform

/// Runs a program to its end, with a time limit.
public enum Tool {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// A program's output and its exit status.
    public struct Result: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    /// Runs a program that is found in PATH. Its output goes to files and not to pipes, so that a daemon that it leaves behind delays nobody.
    public static func run(_ name: String, _ arguments: [String], limit: Duration = patience) throws -> Result {
        let folder = try TemporaryFolder()
        let process = try Subprocess("/usr/bin/env", [name] + arguments) {
            $0.output = .file(folder.path + "/out")
            $0.errors = .file(folder.path + "/err")
        }
        return Result(
            status: try process.finish(within: limit),
            output: try String(contentsOfFile: folder.path + "/out", encoding: .utf8),
            errors: try String(contentsOfFile: folder.path + "/err", encoding: .utf8))
    }

    /// Runs a program that must succeed, and returns its standard output. A daemon's start succeeds once the daemon is ready.
    @discardableResult
    public static func output(_ name: String, _ arguments: [String]) throws -> String {
        let result = try run(name, arguments)
        guard result.status == 0 else {
            throw Failure(description: "\(name) failed (\(result.status)): \(result.errors)")
        }
        return result.output
    }
}

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
