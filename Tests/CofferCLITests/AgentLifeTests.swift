import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// How agents begin and end, and what they leave.
@Suite struct AgentLifeTests {
    /// Makes the socket as the service manager does, and becomes the agent.
    private static let serve = #"""
        $^F = 10; my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 9) or die; POSIX::dup2(fileno($l), 3) or die;
        exec { $ARGV[1] } $ARGV[1], qw(agent run --serve) or die
        """#

    private static func client(_ path: String) -> AgentClient { AgentClient(path: path, user: geteuid()) }

    /// The answer comes when the next agent can take the place, and the person at the terminal reads why this one ended.
    @Test func anAgentThatIsStoppedAnswersAndFreesItsPlace() throws {
        let fixture = try AgentFixture()
        let isThere = Box<Bool>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    _ = try fixture.client.call(Agent.Stop())
                    isThere.value = FileManager.default.fileExists(atPath: fixture.path)
                }
            ])
        #expect(isThere.value == false)
        #expect(result.status == 0)
        #expect(result.errors.contains("This agent has ended: another one was opened, or somebody stopped it"))
    }

    /// Only the agent of a terminal has somebody to tell that it ends. A second start finds the first agent.
    @Test func anAgentOfTheDesktopIsStartedOnceAndEndsInSilence() throws {
        let coffer = try FakeCoffer()
        let path = coffer.scratch.file("agent.sock")
        let variables = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(coffer.program.environment) { $1 }
        func start() throws -> Subprocess {
            try Subprocess(Program.path, ["agent", "--start"]) {
                $0.environment = variables
                $0.leadsSession = true
                $0.output = .pipe
                $0.errors = .output
            }
        }
        let first = try start()
        #expect(try first.wait(until: .now + patience) == 0)
        let pid = try Self.client(path).call(Agent.GetState()).pid
        let second = try start()
        #expect(try second.wait(until: .now + patience) == 0)
        #expect(try second.readAll().isEmpty)
        #expect(try Self.client(path).call(Agent.GetState()).pid == pid)
        _ = try Self.client(path).call(Agent.Stop())
        #expect(!FileManager.default.fileExists(atPath: path))
        // The agent has this pipe until it ends.
        #expect(try first.readAll().isEmpty)
    }

    /// systemd goes on to listen at its socket, and starts the next agent.
    @Test(arguments: [true, false]) func theServiceManagersSocketStays(isManaged: Bool) throws {
        let coffer = try FakeCoffer()
        let path = coffer.scratch.file("agent.sock")
        let variables = ["PATH": "/usr/bin:/bin"].merging(coffer.program.environment) { $1 }
            .merging(isManaged ? ["LISTEN_FDS": "1"] : [:]) { $1 }
        let agent = try Subprocess(
            "/usr/bin/perl", ["-MIO::Socket::UNIX", "-MPOSIX", "-e", Self.serve, path, Program.path]
        ) {
            $0.environment = variables
            $0.leadsSession = true
            $0.output = .pipe
            $0.errors = .output
        }
        #expect(eventually { Reachability.answers(path: path) })
        _ = try Self.client(path).call(Agent.Stop(), within: patience)
        #expect(FileManager.default.fileExists(atPath: path) == isManaged)
        #expect(try agent.wait(until: .now + patience) == 0)
        #expect(try agent.readAll().isEmpty)
    }

    @Test func anAgentMakesItsFolderForItsUserAlone() throws {
        var coffer = try FakeCoffer()
        coffer.program.environment["COFFER_SOCKET"] = coffer.scratch.file("new/coffer.sock")
        let mode = Box<mode_t>()
        let folder = coffer.scratch.file("new")
        let result = try coffer.program.run(
            "agent",
            turns: [.init(wait: AgentFixture.banner, type: "\u{3}") { mode.value = try FileStatus.of(folder)?.mode }])
        #expect(mode.value.map { $0 & 0o7777 } == 0o700, "\(result)")
        coffer.program.environment["COFFER_SOCKET"] = coffer.scratch.file("no/folder/coffer.sock")
        let refused = try coffer.program.run("agent", turns: [])
        #expect(refused.status == 1 && refused.errors.contains("make the folder"), "\(refused)")
    }
}

/// Callers that wait for their turn in this process.
@Suite struct PromptQueueTests {
    private func end(_ turn: consuming PromptQueue.Turn) {}

    /// Otherwise the turn would come to nobody, and those behind would wait for ever.
    @Test func aCallerThatGoesWhileItWaitsLeavesTheQueue() throws {
        let queue = PromptQueue()
        let limit = DispatchTime.now() + .seconds(Int(patience.components.seconds))
        guard let turn = try queue.take(for: -1) else {
            Issue.record("a new queue is taken")
            return
        }
        var gone: Descriptor?
        var staying: Descriptor?
        let leaving = try UnixSocket(pairedWith: &gone)
        let waiting = try UnixSocket(pairedWith: &staying)
        let (first, second) = (leaving.number, waiting.number)
        let (hasLeft, hasTurn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            // `try?`: a wait that fails has ended, too.
            _ = try? queue.take(for: first)
            hasLeft.signal()
        }
        #expect(eventually { queue.count == 2 })
        Thread.detachNewThread {
            // `try?`: as above.
            _ = try? queue.take(for: second)
            hasTurn.signal()
        }
        #expect(eventually { queue.count == 3 })
        gone = nil
        #expect(hasLeft.wait(timeout: limit) == .success)
        #expect(queue.count == 2)
        end(turn)
        #expect(hasTurn.wait(timeout: limit) == .success)
        #expect(queue.count == 0)
        #expect(leaving.number == first && waiting.number == second)
        staying = nil
    }
}
