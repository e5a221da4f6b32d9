import BrokerProtocol
import Coffer
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// An agent that a program has started ends by itself, and callers take turns.
@Suite struct AgentServerTests {
    /// A prompt that is open, or a caller that waits, keeps the agent.
    @Test func itStaysWhileSomebodyIsConnected() throws {
        let scratch = try Scratch()
        let path = scratch.file("agent.sock")
        let server = AgentServer(
            place: AgentPlace(environment: [:], isTerminal: false),
            paths: SocketPaths(broker: scratch.file("coffer.sock"), authenticator: scratch.file("auth.sock")),
            ownPath: path)
        let listener = try UnixListener(path: path, mode: 0o600).release()
        let idle = Duration.milliseconds(20)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // A server that fails ends, too.
            try? server.run(on: UnixListener(adopting: Descriptor(adopting: listener)), idle: idle)
            ended.signal()
        }
        do {
            var caller = try VarlinkConnection(path: path, until: .now + patience)
            for _ in 0..<10 {
                // Its patience runs out meanwhile, again and again.
                #expect(ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
                _ = try caller.call(Agent.GetState(), until: .now + patience)
            }
        }
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The turn comes to a caller at the moment at which that one goes. The next one gets it.
    @Test func noTurnIsLost() throws {
        let queue = PromptQueue()
        for _ in 0..<500 {
            guard let turn = try queue.take(for: -1) else { return }
            var other: Descriptor?
            let caller = try UnixSocket(pairedWith: &other)
            let number = caller.number
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // Whatever it gets ends here.
                _ = try? queue.take(for: number)
                done.signal()
            }
            while queue.count < 2 { usleep(100) }
            other = nil
            end(turn)
            #expect(done.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success)
            #expect(queue.count == 0 && caller.number == number)
            guard queue.count == 0 else { return }
        }
    }

    private func end(_ turn: consuming PromptQueue.Turn) {}
}
