import Foundation
import Platform
import TestSupport

/// A program that a test runs to its end, at most ten minutes.
struct Command {
    let code: Int32
    /// What it wrote, errors included.
    let output: String
    let duration: Duration

    init(_ words: [String], input: String = "") throws {
        let start = ContinuousClock.now
        let process = try Subprocess("/usr/bin/timeout", ["600"] + words) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .output
        }
        // A program that reads nothing is not an error of the test. Short input fits into the pipe in any case.
        try? process.write(input)
        process.closeInput()
        output = try process.readText()
        code = try process.finish()
        duration = ContinuousClock.now - start
    }

    /// Whether this machine lets a test make namespaces of its own.
    static let canMakeNamespaces: Bool = {
        // If the tool is missing, the answer is no.
        geteuid() == 0 && (try? Command(["/usr/bin/unshare", "--mount", "true"]))?.code == 0
    }()
}
