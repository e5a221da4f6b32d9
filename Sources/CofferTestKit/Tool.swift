import CLinux
import Foundation
import Platform

/// Runs a program to its end, with a time limit.
public enum Tool {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// What a program wrote, and its exit status.
    public struct Result: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    /// Runs a program found in PATH.
    public static func run(_ name: String, _ arguments: [String], limit: Duration = .seconds(20)) throws -> Result {
        let folder = try TemporaryFolder()
        let process = try start(name, arguments, folder, limit)
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try String(contentsOfFile: folder.path + "/out", encoding: .utf8),
            errors: try String(contentsOfFile: folder.path + "/err", encoding: .utf8))
    }

    /// The standard output of a program that must succeed.
    @discardableResult
    public static func output(_ name: String, _ arguments: [String]) throws -> String {
        let result = try run(name, arguments)
        guard result.status == 0 else {
            throw Failure(description: "\(name) failed (\(result.status)): \(result.errors)")
        }
        return result.output
    }

    /// Runs a program that ends once the daemon it leaves is ready. Its status is not known: `Process` waits for whoever
    /// inherited its socket, and the daemon did.
    public static func startDaemon(_ name: String, _ arguments: [String], limit: Duration = .seconds(20)) throws {
        _ = try start(name, arguments, TemporaryFolder(), limit)
    }

    private static func start(
        _ name: String, _ arguments: [String], _ folder: TemporaryFolder, _ limit: Duration
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try empty(folder.path + "/out")
        process.standardError = try empty(folder.path + "/err")
        try process.run()
        let descriptor = coffer_pidfd_open(process.processIdentifier)
        // Without a descriptor it has ended and was waited for already.
        guard descriptor >= 0 else { return process }
        guard try Descriptor(adopting: descriptor).waitToRead(until: .now + limit) else {
            kill(process.processIdentifier, SIGKILL)
            throw Failure(description: "\(name) did not end within \(limit)")
        }
        return process
    }

    private static func empty(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
