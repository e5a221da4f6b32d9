import Foundation
import Platform

/// A program that a test runs to its end, at most half a minute.
struct Command {
    let code: Int32
    /// What it wrote, errors included.
    let output: String
    let duration: Duration

    init(_ words: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["30"] + words
        let toProcess = Pipe()
        let fromProcess = Pipe()
        process.standardInput = toProcess
        process.standardOutput = fromProcess
        process.standardError = fromProcess
        let start = ContinuousClock.now
        try process.run()
        // A program that reads nothing is no error of the test's; short input fits into the pipe in any case.
        try? toProcess.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try toProcess.fileHandleForWriting.close()
        let said = fromProcess.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        duration = ContinuousClock.now - start
        code = process.terminationStatus
        output = String(decoding: said, as: UTF8.self)
    }

    /// Whether this machine lets a test make namespaces of its own.
    static let canMakeNamespaces: Bool = {
        // Where the tool is missing, the answer is no.
        geteuid() == 0 && (try? Command(["/usr/bin/unshare", "--mount", "true"]))?.code == 0
    }()
}
