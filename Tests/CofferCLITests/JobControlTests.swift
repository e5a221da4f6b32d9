import BrokerProtocol
import TestSupport
import Testing

/// A `coffer run` that stays beside the program: it stops and goes on as the program does. So a shell never waits for one
/// of the two alone.
@Suite struct JobControlTests {
    private static let ways = ["run --lease 60s --items s/a", "run --mask --env X=coffer://s/a"]

    /// Runs a script in a shell with job control at a terminal. The shell's first word is `coffer`.
    private func run(_ script: String, turns: [Program.Turn] = []) throws -> String {
        let lease = Keychain.LeaseState(id: 1, pid: 1, items: [], granted: 0, ends: 0)
        let status = Keychain.Status.Reply(
            vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "1", sandbox: false, warnings: [])
        let fixture = try FakeCoffer(broker: [
            "Status": [.answer(status)], "Lease": [.answer(Keychain.Lease.Reply(lease: lease))],
            "Get": [FakeCoffer.value(Array("hunter2".utf8), FakeCoffer.item("s", "a"))],
        ])
        var bash = fixture.program
        bash.executable = "/bin/bash"
        // Without a terminal for errors, this shell has no job control.
        let result = try bash.run(
            ["-c", "exec 2>/dev/tty; set -m; " + script, Program.path], input: .terminal, output: .terminal,
            turns: turns)
        #expect(result.status == 0, "\(result)")
        return result.screen
    }

    /// What the terminal has shown, line by line, of the words that matter.
    private func lines(_ screen: String) -> [String] {
        screen.split { $0.isNewline }.map(String.init).filter { line in
            ["status", "resumed", "got", "end"].contains { line.hasPrefix($0) }
        }
    }

    @Test(arguments: ways) func aProgramThatStopsItselfGivesTheTerminalBack(way: String) throws {
        let program = "sh -c 'kill -STOP $$; echo resumed'"
        let screen = try run("\"$0\" \(way) -- \(program); echo \"status $?\"; fg; echo \"end $?\"")
        #expect(lines(screen) == ["status 147", "resumed", "end 0"], "\(screen)")
    }

    @Test(arguments: ways) func theKeyThatStopsAProgramGivesTheTerminalBack(way: String) throws {
        let program = "sh -c 'echo ready; read -r line; echo \"got $line\"'"
        let screen = try run(
            "\"$0\" \(way) -- \(program); echo \"status $?\"; fg; echo \"end $?\"",
            turns: [.init(wait: "ready", type: "\u{1A}"), .init(wait: "status 147", type: "word\r")])
        #expect(lines(screen) == ["status 147", "got word", "end 0"], "\(screen)")
    }

    /// A supervisor knows only the process that it started. Its end is looked for, because a shell may tell the status of the
    /// stop once more.
    @Test(arguments: ways) func aProgramGoesOnWithTheProcessThatWasStarted(way: String) throws {
        let program = "sh -c 'kill -STOP $$; echo resumed'"
        let screen = try run(
            "\"$0\" \(way) -- \(program) & pid=$!; wait $pid; echo \"status $?\"; kill -CONT $pid; "
                + "while kill -0 $pid 2>/dev/null; do sleep 0.05; done; echo end")
        #expect(lines(screen) == ["status 147", "resumed", "end"], "\(screen)")
    }
}
