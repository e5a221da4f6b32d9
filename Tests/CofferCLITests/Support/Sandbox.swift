import Foundation
import Platform
import TestSupport
import Testing

/// A TPM simulator, a broker and an authenticator in a folder, started and stopped by `scripts/sandbox` as people do it.
final class Sandbox: Sendable {
    let scratch: Scratch
    var folder: String { scratch.file("sandbox") }

    /// - Parameter options: more words for `scripts/sandbox start`.
    init(_ options: [String] = []) throws {
        scratch = try Scratch()
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path()
        try run(["start", folder, "--programs", programs] + options)
    }

    // A sandbox that is gone needs no stopping.
    deinit { try? run(["stop", folder]) }

    func run(_ arguments: String...) throws { try run(arguments) }

    private func run(_ arguments: [String]) throws {
        let errors = scratch.file("sandbox-errors")
        let script = try Subprocess(SourceTree.path("scripts/sandbox"), arguments) {
            $0.errors = .file(errors)
        }
        let status = try script.finish()
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        try #require(status == 0, "scripts/sandbox \(arguments[0]): \(said)")
    }
}
