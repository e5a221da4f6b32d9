import CLinux
import Foundation
import Platform

/// A process of a mocked bus; ended with this value.
///
/// @unchecked Sendable: Foundation's Process is made once and only ended.
final class BusProcess: @unchecked Sendable {
    private let process = Process()

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func end() throws {
        guard process.isRunning else { return }
        let held = Descriptor(adopting: coffer_pidfd_open(process.processIdentifier))
        kill(process.processIdentifier, SIGKILL)
        guard try held.waitToRead(until: .now + .seconds(10)) else {
            throw Tool.Failure(description: "a process of the mocked bus did not end")
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    static func await(_ what: String, _ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !(try condition()) {
            guard ContinuousClock.now < deadline else { throw Tool.Failure(description: "\(what) was not ready") }
            usleep(10_000)
        }
    }
}
