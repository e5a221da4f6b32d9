import Foundation
import TestSupport
import Testing

/// Each thing that can go wrong has its own message and exit code. It leaves no process behind, and nothing in the TPM.
@Suite struct FailureTests {
    /// A sandbox with one gated and one ungated item.
    private func prepared(_ options: String...) throws -> Sandbox {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("set", "s", "gated", "--require", "presence", input: Array("g".utf8)).code == 0)
        #expect(try sandbox.coffer("set", "s", "plain", input: Array("p".utf8)).code == 0)
        return sandbox
    }

    @Test func aWrongPasswordIsFour() throws {
        let sandbox = try prepared()
        let before = try sandbox.processes().count
        let outcome = try sandbox.coffer("get", "s", "gated", password: "wrong")
        #expect(outcome.code == 4 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.localizedCaseInsensitiveContains("wrong password"), "\(outcome)")
        try sandbox.expectQuiet(before)
        #expect(try sandbox.coffer("get", "s", "gated", password: "sandbox").text == "g")
        try sandbox.expectQuiet(before)
    }

    @Test func aPersonWhoGivesUpIsFour() throws {
        let sandbox = try prepared()
        let before = try sandbox.processes().count
        let outcome = try sandbox.coffer("get", "s", "gated", askpass: "/bin/false")
        #expect(outcome.code == 4, "\(outcome)")
        #expect(outcome.errors.localizedCaseInsensitiveContains("cancel"), "\(outcome)")
        try sandbox.expectQuiet(before)
    }

    @Test func nobodyToAskIsFourAndSaysWhatToDo() throws {
        let sandbox = try prepared()
        let outcome = try sandbox.coffer("get", "s", "gated")
        #expect(outcome.code == 4, "\(outcome)")
        #expect(outcome.errors.contains("COFFER_ASKPASS") || outcome.errors.contains("coffer "), "\(outcome)")
        let quiet = try sandbox.coffer("get", "s", "gated", "--no-prompt", password: "sandbox")
        #expect(quiet.code == 4 && quiet.output.isEmpty, "\(quiet)")
    }

    @Test func aClientThatGoesAwayLeavesNothing() throws {
        let sandbox = try prepared()
        let before = try sandbox.processes().count
        let sleeper = sandbox.folder + "/sleeper"
        // The number of seconds tells it from every other program that sleeps.
        try Script.write("#!/bin/sh\nsleep 31415\n", to: sleeper)
        #expect(throws: CommandTimedOut.self) {
            try sandbox.coffer("get", "s", "gated", limit: .seconds(20), askpass: sleeper)
        }
        // The client was killed. Its prompter ends soon after, and only the client's own guard has ended it.
        let deadline = ContinuousClock.now + patience
        var left: [Int32] = []
        repeat {
            usleep(20_000)
            left = try sandbox.processes(naming: "sleep 31415") + sandbox.processes(naming: sleeper)
        } while !left.isEmpty && ContinuousClock.now < deadline
        #expect(left.isEmpty)
        for pid in left { kill(pid, SIGKILL) }
        try sandbox.expectQuiet(before)
        #expect(try sandbox.coffer("get", "s", "gated", password: "sandbox").text == "g")
    }

    @Test func aDeadBrokerIsNine() throws {
        let sandbox = try prepared()
        try sandbox.killBroker()
        let outcome = try sandbox.coffer("get", "s", "plain")
        #expect(outcome.code == 9, "\(outcome)")
        #expect(outcome.errors.contains("broker"), "\(outcome)")
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("exists", "s", "plain").code == 0)
    }

    @Test func aDeadAuthenticatorIsNineAndOnlyForWhatNeedsIt() throws {
        let sandbox = try prepared()
        for pid in try sandbox.processes(naming: "coffer-authenticator") { kill(pid, SIGKILL) }
        let outcome = try sandbox.coffer("get", "s", "gated", password: "sandbox")
        #expect(outcome.code == 9, "\(outcome)")
        #expect(outcome.errors.contains("authenticator"), "\(outcome)")
        #expect(try sandbox.coffer("get", "s", "plain").text == "p")
    }

    @Test func aDeadTPMIsEightAndOnlyForWhatNeedsIt() throws {
        let sandbox = try prepared()
        for pid in try sandbox.processes(naming: "swtpm socket") { kill(pid, SIGKILL) }
        let outcome = try sandbox.coffer("get", "s", "gated", password: "sandbox")
        #expect(outcome.code == 8, "\(outcome)")
        #expect(try sandbox.coffer("get", "s", "plain").text == "p")
        #expect(try sandbox.coffer("status").code == 0)
    }

    @Test func aHungTPMIsEightAndTheRestGoesOn() throws {
        let sandbox = try prepared()
        let pids = try sandbox.processes(naming: "swtpm socket")
        try #require(!pids.isEmpty)
        for pid in pids { kill(pid, SIGSTOP) }
        defer { for pid in pids { kill(pid, SIGCONT) } }
        let outcome = try sandbox.coffer("get", "s", "gated", password: "sandbox")
        #expect(outcome.code == 8, "\(outcome)")
        #expect(outcome.errors.contains("answer"), "\(outcome)")
        #expect(try sandbox.coffer("get", "s", "plain").text == "p")
        for pid in pids { kill(pid, SIGCONT) }
        #expect(try sandbox.coffer("get", "s", "gated", password: "sandbox").text == "g")
        try sandbox.expectTPMEmpty()
    }
}

extension Sandbox {
    /// Waits until there are as many processes as before, and the TPM holds nothing.
    func expectQuiet(_ count: Int) throws {
        let deadline = ContinuousClock.now + patience
        while try processes().count > count, ContinuousClock.now < deadline { usleep(20_000) }
        let now = try processes()
        #expect(now.count <= count, "\(now)")
        try expectTPMEmpty()
    }

    /// Asks the TPM itself, as another program would.
    func expectTPMEmpty() throws {
        var environment = ProcessInfo.processInfo.environment
        environment["TPM2TOOLS_TCTI"] = variables["COFFER_SANDBOX_TCTI"]
        for kind in ["handles-transient", "handles-loaded-session", "handles-saved-session"] {
            let outcome = try Command(
                program: "/usr/bin/env", arguments: ["tpm2_getcap", kind], environment: environment
            ).run()
            #expect(
                outcome.code == 0 && outcome.text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty,
                "\(kind): \(outcome)")
        }
    }

    /// The pids of this sandbox's processes whose command line contains a text, with their children that do not name
    /// the folder themselves.
    func processes(naming text: String) throws -> [Int32] {
        let variable = Data("COFFER_SOCKET=\(directory)".utf8)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name -> Int32? in
            guard let pid = Int32(name), let bytes = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            else { return nil }
            let line = String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
            guard line.contains(text) else { return nil }
            if line.contains(folder) { return pid }
            let environment = FileManager.default.contents(atPath: "/proc/\(name)/environ") ?? Data()
            return environment.range(of: variable) == nil ? nil : pid
        }
    }
}
