import Foundation
import TestSupport

/// A test's own folder, short enough for socket paths. It goes when the test releases it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = "/tmp/coffer-cli-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    // A folder that stays in /tmp does no harm.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a program, and returns its path.
    @discardableResult
    func program(_ name: String, _ script: String) throws -> String {
        try Script.write(script, to: file(name))
        return file(name)
    }

    func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }
}
