import Foundation
import Testing

/// A TPM simulator, a broker and an authenticator in a folder, started and stopped by `scripts/sandbox` as people do it.
final class Sandbox: Sendable {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    let scratch: Scratch
    var folder: String { scratch.file("sandbox") }

    init() throws {
        scratch = try Scratch()
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path()
        try run("start", folder, "--programs", programs)
    }

    // A sandbox that is not there any more needs no stopping.
    deinit { try? run("stop", folder) }

    func run(_ arguments: String...) throws {
        let script = Process()
        script.executableURL = Self.root.appending(path: "scripts/sandbox")
        script.arguments = arguments
        let output = Pipe()
        script.standardOutput = FileHandle.nullDevice
        script.standardError = output
        try script.run()
        let words = try output.fileHandleForReading.readToEnd() ?? Data()
        script.waitUntilExit()
        try #require(
            script.terminationStatus == 0, "scripts/sandbox \(arguments[0]): \(String(decoding: words, as: UTF8.self))")
    }
}
