import Foundation
import Platform

/// A process of a mocked bus, ended with this value.
final class BusProcess: Sendable {
    private let process: Subprocess

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = try Subprocess(program, arguments) {
            $0.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        }
    }

    func end() throws { try process.end() }

    // If SIGKILL does not end it, a test cannot end it either.
    deinit { try? process.end() }

    static func await(_ what: String, _ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + patience
        while !(try condition()) {
            guard ContinuousClock.now < deadline else { throw Tool.Failure(description: "\(what) was not ready") }
            usleep(10_000)
        }
    }
}
