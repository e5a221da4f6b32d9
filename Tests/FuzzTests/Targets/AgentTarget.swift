import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Varlink

/// The agent of a session: its socket, and what it reads from a connection that a caller hands over. The prompts are a pinentry of the test's.
struct AgentTarget: FuzzTarget {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private let authenticator: ScriptedAuthenticator
    private let calls: [JSONTree]
    private let steps: [JSONTree]

    init() async throws {
        folder = try TemporaryFolder()
        let path = folder.path
        // A display that answers.
        let display = try UnixListener(path: path + "/wayland", mode: 0o600).release()
        Thread.detachNewThread {
            let listener = UnixListener(adopting: Descriptor(adopting: display))
            while (try? listener.accept()) != nil {}  // It fails only if no descriptor is left.
        }
        authenticator = try ScriptedAuthenticator(path: path + "/auth.sock")
        try Script.write(
            """
            #!/bin/sh
            echo OK
            while read -r line; do
                case $line in
                GETPIN) echo "D secret"; echo OK ;;
                BYE) echo OK; exit ;;
                *) echo OK ;;
                esac
            done
            """, to: path + "/pinentry-gnome3")
        environment = ["COFFER_SOCKET": path + "/coffer.sock", "WAYLAND_DISPLAY": path + "/wayland", "PATH": path]
        let wire = Agent.Display(x11: ":77", xauthority: path + "/x", wayland: path + "/wayland")
        calls = try [
            Varlink.encode(VarlinkCall(Agent.GetState())),
            Varlink.encode(VarlinkCall(Agent.WaitForTurn(display: nil))),
            Varlink.encode(VarlinkCall(Agent.WaitForTurn(display: wire))),
            Varlink.encode(VarlinkCall(Agent.Converse(challenge: "c", connection: 0))),
            Varlink.encode(VarlinkCall(Agent.Update(display: wire))),
            Varlink.encode(VarlinkCall(Agent.Stop())),
        ].map { try JSONTree(parsing: $0.dropLast()) }
        steps = try [
            Varlink.encode(
                VarlinkReply(Authentication.Step(message: .init(style: .info, text: "asks to"), done: false, step: 1))),
            Varlink.encode(
                VarlinkReply(Authentication.Step(message: .init(style: .secret, text: "P: "), done: false, step: 2))),
            Varlink.encode(VarlinkReply(Authentication.Step(message: nil, done: true))),
            Varlink.encode(Fault(.authenticationFailed, .init(message: "PAM says no", reason: "password"))),
        ].map { try JSONTree(parsing: $0.dropLast()) }
        try start()
    }

    private func start() throws {
        let variables = environment
        let coffer =
            URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/coffer"
        let starter = try Subprocess(coffer, ["agent", "--start"]) {
            $0.environment = variables
            $0.leadsSession = true
        }
        guard try starter.finish() == 0 else { throw BrokenPromise("the agent does not start") }
    }

    mutating func tryOne(_ mutator: inout Mutator) async throws {
        try restartIfStopped()
        let before = try state()
        authenticator.script = (0..<mutator.below(6)).map { _ in
            mutator.text(steps[mutator.below(steps.count)], donors: steps) + [0]
        }
        var socket = try UnixSocket(connectingTo: folder.path + "/agent.sock", until: .now + patience)
        // An agent that closes the connection has answered.
        do throws(SystemError) {
            if mutator.chance(2) {
                try socket.send(Array(calls[mutator.below(2) + 1].written.utf8) + [0])
                _ = try socket.receiveMessage(limit: 1 << 20, until: .now + patience)
                let converse = mutator.chance(2) ? Array(calls[3].written.utf8) : mutator.text(calls[3], donors: calls)
                try pass(converse + [0], &mutator, on: socket)
            } else {
                for _ in 0...mutator.below(3) {
                    // Stop itself ends the agent in order.
                    let call = mutator.text(
                        calls[mutator.below(calls.count - (mutator.chance(20) ? 0 : 1))], donors: calls)
                    try pass(call + [0], &mutator, on: socket)
                }
            }
            if !mutator.chance(4) { _ = try socket.receiveMessage(limit: 1 << 20, until: .now + patience) }
        } catch {}
        socket.shutDown()
        if let before, let now = try state() { try promise(before == now, "the agent is another process now") }
    }

    /// Sends a call, often with a descriptor.
    private func pass(_ bytes: [UInt8], _ mutator: inout Mutator, on socket: borrowing UnixSocket) throws(SystemError) {
        switch mutator.below(4) {
        case 0: try socket.send(bytes, until: .now + patience)
        case 1:
            let null = try Descriptor.open("/dev/null", 0)
            try socket.send(bytes, passing: null.number, until: .now + patience)
        default:
            let line = try UnixSocket(connectingTo: folder.path + "/auth.sock", until: .now + patience)
            try socket.send(bytes, passing: line.number, until: .now + patience)
        }
    }

    /// - Returns: the agent's process; nil if it was told to stop.
    private func state() throws -> Int64? {
        let path = folder.path + "/agent.sock"
        do throws(TransportFailure) {
            var connection = try VarlinkConnection(path: path, until: .now + patience)
            if case .reply(let reply, _) = try connection.call(Agent.GetState(), until: .now + patience) {
                return reply.pid
            }
        } catch {
            // Stop removes the socket first. An agent that has died leaves it.
            try promise(!FileManager.default.fileExists(atPath: path), "the agent has died: \(error)")
            return nil
        }
        throw BrokenPromise("the agent does not tell its state")
    }

    private func restartIfStopped() throws { if try state() == nil { try start() } }

    func end() async throws {
        guard try state() != nil else { return }
        var connection = try VarlinkConnection(path: folder.path + "/agent.sock", until: .now + patience)
        _ = try connection.call(Agent.Stop(), until: .now + patience)
    }
}

/// Serves the authenticator's socket, and answers what a case wants, one answer a message. Then it closes the connection.
private final class ScriptedAuthenticator: Sendable {
    private let answers = Mutex<[[UInt8]]>([])

    var script: [[UInt8]] {
        get { answers.withLock { $0 } }
        set { answers.withLock { $0 = newValue } }
    }

    init(path: String) throws {
        let number = try UnixListener(path: path, mode: 0o600).release()
        Thread.detachNewThread { [self] in
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // Both fail only when the other end is gone.
            while let connection = try? listener.accept() { try? serve(UnixSocket(adopting: connection)) }
        }
    }

    private func serve(_ socket: consuming UnixSocket) throws {
        for answer in script {
            guard try socket.receiveMessage(limit: 1 << 20, until: .now + patience) != nil else { return }
            try socket.send(answer, until: .now + patience)
        }
    }
}
