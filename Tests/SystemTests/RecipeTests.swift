import Foundation
import TestSupport
import Testing

/// docs/service-accounts.md does what it says. Its commands run as they stand there, as the users that it names.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized) struct RecipeTests {
    private static let account = "coffs\(UInt32.random(in: 10_000...99_999))"

    private struct Step {
        let command: String
        let isRoots: Bool
    }

    /// The lines with a prompt in the document's console blocks.
    private static func steps() throws -> [Step] {
        let text = try SourceTree.text("docs/service-accounts.md")
        var steps: [Step] = []
        var isConsole = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("# ") || line.hasPrefix("$ ") {
                let command = line.dropFirst(2).replacingOccurrences(of: "nightly", with: account)
                steps.append(Step(command: command, isRoots: line.hasPrefix("#")))
            }
        }
        return steps
    }

    /// What the unit runs at boot.
    private static func unitCommand() throws -> String {
        let path = SourceTree.path("packaging/systemd/coffer-unlock@.service")
        let line = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").first {
            $0.hasPrefix("ExecStart=@bindir@/")
        }
        return try #require(line).dropFirst("ExecStart=@bindir@/".count).replacingOccurrences(of: "%i", with: account)
    }

    @Test func recipe() throws {
        let sandbox = try Sandbox(reachable: true)
        // If an account cannot be removed, the next run's useradd reports it.
        defer { _ = try? Command(program: "/usr/sbin/userdel", arguments: [Self.account], environment: [:]).run() }
        func run(_ command: String, asRoot: Bool = true) throws -> Outcome {
            var environment = ProcessInfo.processInfo.environment
            for (name, value) in sandbox.variables { environment[name] = value }
            environment["COFFER_ASKPASS"] = nil
            environment["DISPLAY"] = nil
            var words = ["/bin/sh", "-c", command]
            if !asRoot {
                words = ["setpriv", "--reuid", Self.account, "--regid", Self.account, "--clear-groups", "--"] + words
            }
            return try Command(program: "/usr/bin/env", arguments: words, environment: environment).run()
        }
        let steps = try Self.steps()
        #expect(steps.count == 10)
        var read = 0
        for step in steps {
            if step.command.hasPrefix("systemctl ") {
                // A boot: the broker is new, and the unit does its work.
                try sandbox.script("stop-broker")
                try sandbox.script("start-broker")
                let sealed = try run("coffer get restic repository", asRoot: false)
                #expect(sealed.code == 5 && sealed.output.isEmpty, "\(sealed)")
                let opened = try run(Self.unitCommand())
                #expect(opened.code == 0 && opened.errors.isEmpty, "\(opened)")
                #expect(try run("coffer get restic repository", asRoot: false).text == "correct horse")
                continue
            }
            let outcome = try run(step.command, asRoot: step.isRoots)
            #expect(outcome.code == 0, "\(step.command): \(outcome)")
            if !step.isRoots {
                read += 1
                #expect(outcome.text == "correct horse", "\(step.command): \(outcome)")
            }
            if step.command.hasPrefix("coffer list") { #expect(outcome.text.contains("restic\trepository")) }
        }
        #expect(read == 1)
        // What the document says that root may not do, and others may not do at all.
        let gated = try run("printf x | coffer set s g --user \(Self.account) --require presence")
        #expect(gated.code == 64, "\(gated)")
        #expect(try run("coffer --user \(Self.account) get restic repository").text == "correct horse")
        #expect(try run("coffer list --user \(Self.account)", asRoot: false).code == 6)
        #expect(try run("coffer vault create --owner daemon", asRoot: false).code == 6)
        // The account is not asked for anything, because nobody could answer.
        #expect(try run("coffer status", asRoot: false).text.hasPrefix("Vault: "))
    }
}
