import Foundation
import Platform
import TestSupport
import Testing

/// All machines are lost. A person has a code on paper, and the folder. The new machine has a TPM of its own.
@Suite struct PaperRestoreTests {
    private static let password = "sandbox"

    private let folder = "/tmp/coffer-paper-\(UUID().uuidString.prefix(8))"

    @discardableResult
    private func succeed(
        _ machine: Sandbox, _ arguments: String..., input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try machine.coffer(arguments, input: Array(input.utf8), password: Self.password)
        try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    @Test func aNewMachineGetsEverythingFromTheFolderAlone() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // `try?`: a folder that stays in /tmp does no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (desk, new) = (try Sandbox(), try Sandbox())
        try succeed(desk, "set", "mail", "me", "--label", "Mail", input: "one")
        try succeed(desk, "set", "old", "me", "--require", "presence", input: "two")
        try succeed(desk, "set", "here", "me", "--this-device-only", input: "three")
        try succeed(desk, "sync", "init", folder, "--name", "desk")
        let code = try desk.newPaper()
        #expect(try succeed(desk, "sync", "status").text.contains("1 secret that requires you is not on it yet"))
        #expect(try succeed(desk, "sync", "release").all.contains("Released 1 secret to paper"))
        try succeed(desk, "set", "bank", "me", "--require", "presence", "--comment", "joint", input: "four")
        try succeed(desk, "sync", "now")
        // A circle of somebody else is beside it.
        let mallory = try Sandbox()
        try succeed(mallory, "set", "mail", "me", input: "forged")
        try succeed(mallory, "sync", "init", folder, "--separate", "--name", "mallory")
        try succeed(new, "set", "mail", "other", input: "own")
        let looked = try succeed(new, "sync", "restore", folder, "--dry-run", input: code)
        #expect(looked.all.contains("desk  newest of") && !looked.all.contains("mallory"), "\(looked)")
        // Nobody can be asked whether this is the newest.
        #expect(try new.coffer("sync", "restore", folder, input: Array(code.utf8)).code == 64)
        let restored = try succeed(new, "sync", "restore", folder, "--yes", input: code)
        #expect(restored.all.contains("Restored 3 of 3 items"), "\(restored)")
        #expect(try succeed(new, "get", "mail", "me").text == "one")
        #expect(try new.coffer("get", "here", "me").code == 3)
        for (service, value) in [("old", "two"), ("bank", "four")] {
            #expect(try new.coffer("get", service, "me", "--no-prompt").code == 4)
            #expect(try new.coffer("get", service, "me", password: "wrong").code == 4)
            #expect(try succeed(new, "get", service, "me").text == value)
        }
        #expect(try succeed(new, "show", "bank", "me").text.contains("joint"))
        #expect(try succeed(new, "show", "mail", "me").text.contains("Mail"))
        // What is there stays, and the machine can begin a circle of its own.
        let again = try new.coffer("sync", "restore", folder, "--yes", input: Array(code.utf8))
        #expect(again.code == 1 && again.text.contains("kept"), "\(again)")
        try succeed(new, "sync", "init", folder, "--separate", "--name", "new")
        #expect(try new.coffer("sync", "restore", folder, "--yes", input: Array(code.utf8)).code == 10)
        // Neither the folder nor the log has the code.
        let groups = Data(code.dropFirst(6).prefix(11).utf8)
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let content = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
            #expect(content.range(of: groups) == nil, "\(name)")
        }
        #expect(try !succeed(desk, "log", "--json").all.contains(code.dropFirst(6).prefix(11)))
    }

    @Test func anotherCodeEndsTheFormerOne() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // `try?`: a folder that stays in /tmp does no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (desk, new) = (try Sandbox(), try Sandbox())
        try succeed(desk, "set", "mail", "me", input: "one")
        try succeed(desk, "sync", "init", folder, "--name", "desk")
        let former = try desk.newPaper()
        let refused = try desk.coffer("sync", "paper", "--script", password: Self.password)
        #expect(refused.code == 10 && refused.errors.contains("--again"), "\(refused)")
        let code = try desk.newPaper("--again")
        let wrong = try new.coffer("sync", "restore", folder, "--dry-run", input: Array(former.utf8))
        #expect(wrong.code != 0 && wrong.errors.contains("removed, or replaced"), "\(wrong)")
        try succeed(new, "sync", "restore", folder, "--yes", input: code)
        #expect(try succeed(new, "get", "mail", "me").text == "one")
        try succeed(desk, "sync", "remove", "paper")
        #expect(try succeed(desk, "sync", "status").text.contains("Paper: none"))
        #expect(try new.coffer("sync", "restore", folder, "--dry-run", input: Array(code.utf8)).code != 0)
    }
}

extension Sandbox {
    /// A code on paper, as a program makes one.
    func newPaper(_ option: String = "") throws -> String {
        let script = """
            coproc C { coffer sync paper --script \(option); }
            read -r code <&"${C[0]}"; printf '%s\\n' "$code" >&"${C[1]}"
            input=${C[1]}; exec {input}>&-
            wait "$C_PID"; printf '%s %s' "$?" "$code"
            """
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in variables { environment[name] = value }
        environment["COFFER_ASKPASS"] = try askpass("sandbox", name: "askpass-\(UUID().uuidString.prefix(8))")
        let outcome = try Command(
            program: "/bin/bash", arguments: ["-c", script], environment: environment, limit: patience
        ).run()
        let words = outcome.text.split(separator: " ").map(String.init)
        try #require(words.count == 2 && words[0] == "0" && words[1].hasPrefix("PAPER-"), "\(outcome)")
        return words[1]
    }
}
