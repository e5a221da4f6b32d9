import CofferTestKit
import Foundation

/// A folder of a test's own, short enough for socket paths; gone when the test lets go of it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = "/tmp/coffer-cli-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    // What cannot be removed does no harm in /tmp.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a program, and returns where it is.
    @discardableResult
    func program(_ name: String, _ script: String) throws -> String {
        try Script.write(script, to: file(name))
        return file(name)
    }

    func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }
}
