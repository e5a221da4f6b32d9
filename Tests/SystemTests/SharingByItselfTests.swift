import Foundation
import Platform
import TestSupport
import Testing

/// Machines whose user service carries changes. Nobody runs `coffer sync now`.
@Suite struct SharingByItselfTests {
    private static let password = "sandbox"

    /// A machine with its service.
    private final class Machine {
        let box: Sandbox
        private var service: Subprocess?
        private var errors: String { box.folder + "/watch-errors" }

        init() throws { box = try Sandbox() }

        func start() throws {
            var environment = ProcessInfo.processInfo.environment
            for (name, value) in box.variables { environment[name] = value }
            // Nobody can be asked.
            for name in ["COFFER_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
            service = try Subprocess("/usr/bin/env", ["coffer", "sync", "watch"]) { [errors] in
                $0.environment = environment
                $0.errors = .file(errors)
            }
        }

        /// - Returns: the exit status.
        func end(by signal: Int32? = nil) throws -> Int32 {
            let service = try #require(service)
            if let signal { service.signal(signal) }
            return try service.finish()
        }

        // `try?`: it may have said nothing yet.
        var said: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

        @discardableResult
        func succeed(
            _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> Outcome {
            let outcome = try box.coffer(arguments, input: Array(input.utf8), password: SharingByItselfTests.password)
            try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
            return outcome
        }

        /// Waits until a value is there. Nobody is asked for it, and nothing is unlocked.
        func await(_ service: String, _ value: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let limit = ContinuousClock.now + patience
            while try box.coffer("get", service, "me", "--no-prompt").text != value {
                try #require(
                    ContinuousClock.now < limit, "\(service) does not arrive; the service said: \(said)",
                    sourceLocation: sourceLocation)
            }
        }

        /// How many records of sharing its log has.
        func shares() throws -> Int {
            try succeed("log").text.split(separator: "\n").count { $0.contains("by other machines") }
        }
    }

    @Test func changesTravelWhileTheVaultsAreOpen() throws {
        let folder = try TemporaryFolder()
        let (desk, laptop) = (try Machine(), try Machine())
        let begun = try desk.succeed("sync", "init", folder.path, "--name", "desk")
        // It is not this machine's broker that the user's service would find.
        #expect(begun.errors.contains("keep this running: coffer sync watch"), "\(begun)")
        let asked = try laptop.succeed("sync", "join", folder.path, "--name", "laptop", "--no-wait")
        let code = try #require(
            (asked.text + asked.errors).split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        try desk.succeed("sync", "add", input: "\(code)\n")
        try laptop.succeed("sync", "join", folder.path, "--name", "laptop")
        for machine in [desk, laptop] { try machine.start() }
        // In both directions.
        try desk.succeed("set", "one", "me", input: "from the desk")
        try laptop.await("one", "from the desk")
        try laptop.succeed("set", "two", "me", input: "from the laptop")
        try desk.await("two", "from the laptop")
        try desk.succeed("sync", "wait")
        #expect(try desk.succeed("sync", "status", "--json").text.contains("\"seen\" : true"))
        // A locked vault takes nothing in, and nobody opens it but its person.
        try laptop.succeed("lock")
        try desk.succeed("set", "three", "me", input: "while it was locked")
        #expect(try desk.box.coffer("sync", "wait", "--timeout", "1", password: Self.password).code == 1)
        #expect(try laptop.succeed("status", "--json").text.contains("\"unlocked\"") == false)
        try laptop.succeed("unlock")
        try laptop.await("three", "while it was locked")
        // A broker that was started again has no open vault.
        try laptop.box.script("stop-broker")
        try laptop.box.script("start-broker")
        try desk.succeed("set", "four", "me", input: "after a restart")
        try laptop.succeed("unlock")
        try laptop.await("four", "after a restart")
        // Four changes came, or fewer together. What brought nothing left no record.
        #expect(try (1...3).contains(laptop.shares()))
        let settled = try laptop.shares()
        try desk.succeed("sync", "wait")
        #expect(try laptop.shares() == settled)
        // A removal ends it in good order, so that nothing starts it again.
        try desk.succeed("sync", "remove", "laptop")
        #expect(try laptop.end() == 0 && laptop.said.contains("was removed"), "\(laptop.said)")
        #expect(try desk.end(by: SIGTERM) == 0)
        #expect(!desk.said.contains("warning"), "\(desk.said)")
    }
}
