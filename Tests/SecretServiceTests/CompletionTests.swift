import Foundation
import Platform
import TestSupport
import Testing

/// The completions of `coffer-secret-service` are files, because the program has no parser that writes them.
struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func everyOptionOfTheHelpIsCompleted(_ shell: String) throws {
        let program = try Subprocess(ServiceFixture.program("coffer-secret-service"), ["--help"]) { $0.output = .pipe }
        let help = String(decoding: try program.readAll(), as: UTF8.self)
        #expect(try program.wait(until: .now + .seconds(60)) != nil)
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }.compactMap { line in
            line.split(whereSeparator: { " ,".contains($0) }).first { $0.hasPrefix("--") }?.dropFirst(2)
        }
        #expect(Set(options) == ["replace", "wait", "version", "help"])
        let completions = try SourceTree.text("packaging/completions/coffer-secret-service.\(shell)")
        for option in options {
            #expect(completions.contains(shell == "fish" ? "-l \(option)" : "--\(option)"), "\(option)")
        }
    }
}
