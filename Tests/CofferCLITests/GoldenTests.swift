import Foundation
import TestSupport
import Testing

/// The scripts of Tests/CLI, each run in a sandbox with the real broker, authenticator, PAM and TPM simulator.
/// `COFFER_UPDATE_GOLDEN=1 swift test --filter GoldenTests` writes the present output into them.
@Suite struct GoldenTests {
    private static let folder = URL(filePath: SourceTree.path("Tests/CLI"))

    private static var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".script") }
                .sorted()
        }
    }

    @Test(arguments: try names)
    func printsWhatTheScriptSays(name: String) throws {
        let url = Self.folder.appending(path: name)
        let golden = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        var script = GoldenScript(golden)
        let sandbox = try Sandbox(script.sandboxOptions)
        for index in script.parts.indices {
            guard case .command(var command) = script.parts[index] else { continue }
            command.printed = try run(command, in: sandbox)
            script.parts[index] = .command(command)
        }
        if ProcessInfo.processInfo.environment["COFFER_UPDATE_GOLDEN"] == "1" {
            try Data(script.text.utf8).write(to: url)
        } else {
            #expect(script.text == golden)
        }
    }

    @Test(arguments: try names)
    func aScriptIsReadAsItIsWritten(name: String) throws {
        let text = String(decoding: try Data(contentsOf: Self.folder.appending(path: name)), as: UTF8.self)
        #expect(GoldenScript(text).text == text)
    }

    private func run(_ command: GoldenScript.Command, in sandbox: Sandbox) throws -> [String] {
        var shell = Program(scratch: sandbox.scratch)
        shell.executable = "/bin/sh"
        // Programs beside the scripts serve what a command talks to.
        let servers = "SERVERS='\(Self.folder.path())/servers'; export SERVERS"
        let line = ". \(sandbox.folder)/env; cd \(sandbox.scratch.path); \(servers); { \(command.line)\n} 2>&1"
        let result = try shell.run(
            ["-c", line], input: command.atTerminal ? .terminal : .bytes([]),
            output: command.atTerminal ? .terminal : .file,
            turns: command.atTerminal ? command.turns : nil)
        let printed = command.atTerminal ? result.screen.replacing("\r\n", with: "\n") : result.text
        var lines = steady(printed, sandbox).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        if result.status != 0 { lines.append("[exit \(result.status)]") }
        // An empty line ends a command's lines in the script.
        return lines.map { $0.isEmpty ? "(empty)" : $0 }
    }

    /// Where a prompt's lines break depends on the program's path.
    private func unbroken(_ text: String) -> String {
        var isNotice = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: [String]()) { lines, line in
            if isNotice, line.hasPrefix("   "), let last = lines.popLast() {
                return lines.append(last + line.dropFirst(3))
            }
            isNotice = line.hasPrefix("for ") || (isNotice && !line.hasPrefix("Login password: "))
            lines.append(String(line))
        }.joined(separator: "\n")
    }

    /// Words replace what differs from run to run.
    private func steady(_ text: String, _ sandbox: Sandbox) -> String {
        unbroken(text).replacing(sandbox.folder, with: "DIR")
            .replacing(URL(filePath: Program.path).deletingLastPathComponent().path(), with: "BIN/")
            .replacing(/([Pp])rocess [0-9]+/) { "\($0.1)rocess N" }
            .replacing(/pts\/[0-9]+/, with: "pts/N")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "TIME")
            .replacing(/since [0-9]{2}:[0-9]{2}/, with: "since TIME")
            .replacing(/made on [0-9-]{10}/, with: "made on DAY")
            .replacing(/until [0-9-]{10}/, with: "until DAY")
            .replacing(/([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]{5}/, with: "CODE")
            .replacing(/roup [1-6]/, with: "roup N")
            .replacing(/[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}/, with: "ID")
    }
}
