import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// A fake broker and authenticator, an agent in a terminal, and callers that have none.
struct AgentFixture {
    static let secret = Array("s3cret".utf8)
    /// The words with which a running agent begins.
    static let banner = "To end this: Ctrl-C"

    let coffer: FakeCoffer
    var path: String { coffer.scratch.file("agent-terminal.sock") }

    init(coffer: FakeCoffer) { self.coffer = coffer }

    init(callers: Int = 1) throws {
        var get: [FakeServer.Step] = []
        for _ in 0..<callers { get += [FakeCoffer.personNeeded()] }
        coffer = try FakeCoffer(
            broker: ["Get": get + [FakeCoffer.value(Self.secret)], "Withdraw": [.answer(Nothing())]],
            authenticator: FakeCoffer.asksPassword)
    }

    /// Starts a program without a terminal.
    func caller(_ words: [String] = ["get", "github", "me"], environment: [String: String] = [:]) throws -> Subprocess {
        let variables = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(coffer.program.environment) { $1 }
            .merging(environment) { $1 }
        return try Subprocess(Program.path, words) {
            $0.environment = variables
            $0.leadsSession = true
            $0.output = .pipe
            $0.errors = .output
        }
    }

    /// Waits for a program that was started.
    static func outcome(_ program: Subprocess) throws -> (status: Int32, text: String) {
        // It says little enough for the pipe. One that does not end is ended, because reading would wait for it.
        let status = try program.wait(until: .now + patience)
        if status == nil { program.signal(SIGKILL) }
        return (try #require(status), String(decoding: try program.readAll(), as: UTF8.self))
    }

    var client: AgentClient { AgentClient(path: path, user: geteuid()) }

    func connect() throws -> VarlinkConnection { try VarlinkConnection(path: path, until: .now + patience) }
}

/// Waits until something holds.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + patience
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        usleep(10_000)
    }
    return true
}

/// What a test's closures learn, for the test.
final class Box<Value>: @unchecked Sendable {  // A test's closures run one after the other.
    var value: Value?
}

/// A Unix socket that takes connections, as a display does.
final class FakeDisplay: Sendable {
    let name: String
    private let listener: UnixListener

    init(in scratch: Scratch) throws {
        name = scratch.file("wayland-77")
        listener = try UnixListener(path: name, mode: 0o600)
    }
}
