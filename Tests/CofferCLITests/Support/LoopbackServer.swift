import Foundation
import Platform
import TestSupport
import Testing

/// A server of `Tests/CLI/servers`. It ends with the object.
final class LoopbackServer {
    let port: Int
    private let process: Subprocess

    init(_ name: String, _ arguments: [String]) throws {
        let script = SourceTree.path("Tests/CLI/servers/\(name)")
        process = try Subprocess("/usr/bin/python3", ["-B", script] + arguments) {
            $0.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let part = try process.read(limit: 64)
            try #require(!part.isEmpty, "\(name) ended at once")
            line += part
        }
        port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
    }

    deinit {
        process.closeInput()
        // A server that does not end with its input is ended by the test's process group.
        _ = try? process.wait(until: ContinuousClock.now + patience)
    }
}
