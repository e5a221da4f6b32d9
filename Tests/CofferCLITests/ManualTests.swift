import Foundation
import Testing

/// The manual says what the program says.
@Suite struct ManualTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func pagesAreWhatCofferSaysOfItself() throws {
        let script = Process()
        script.executableURL = Self.root.appending(path: "scripts/man-pages")
        script.arguments = ["--check", Program.path]
        let output = Pipe()
        script.standardOutput = output
        try script.run()
        let findings = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        script.waitUntilExit()
        #expect(findings.isEmpty)
        #expect(script.terminationStatus == 0)
    }
}
