import BrokerProtocol
import Coffer
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// Who has the turn, and how it passes on. The agent runs in this process, and its callers stay connected.
@Suite struct AgentTurnTests {
    /// Runs an agent until the body and all of its callers have ended.
    /// - Parameter hasDisplay: whether it reaches somebody.
    private func serving(hasDisplay: Bool = true, _ body: (String) throws -> Void) throws {
        let scratch = try Scratch()
        let path = scratch.file("agent.sock")
        _ = try scratch.program("pinentry", "#!/bin/sh\nexit 1\n")
        let display = try FakeDisplay(in: scratch)
        let server = AgentServer(
            place: AgentPlace(
                environment: ["PATH": scratch.path].merging(hasDisplay ? ["WAYLAND_DISPLAY": display.name] : [:]) {
                    $1
                },
                isTerminal: false),
            paths: SocketPaths(broker: scratch.file("coffer.sock"), authenticator: scratch.file("auth.sock")),
            ownPath: path)
        let listener = try UnixListener(path: path, mode: 0o600).release()
        let ended = DispatchSemaphore(value: 0)
        do {
            // The agent stays as long as somebody is connected.
            let watcher = try Self.connect(path)
            Thread.detachNewThread {
                // A server that fails ends, too.
                try? server.run(on: UnixListener(adopting: Descriptor(adopting: listener)), idle: .milliseconds(20))
                ended.signal()
            }
            try body(path)
            #expect(watcher.number >= 0)
        }
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success)
        withExtendedLifetime(display) {}
    }

    private static func connect(_ path: String) throws -> VarlinkConnection {
        try VarlinkConnection(path: path, until: .now + patience)
    }

    private static func fault<Reply>(_ answer: VarlinkAnswer<Reply>) -> Fault.Name? {
        if case .fault(let fault) = answer { fault.name } else { nil }
    }

    private static func callers(_ path: String) throws -> Int64? {
        var connection = try connect(path)
        guard case .reply(let state, _) = try connection.call(Agent.GetState(), until: .now + patience) else {
            return nil
        }
        return state.callers
    }

    /// Waits until so many callers wait or have the turn.
    private static func expect(_ count: Int64, at path: String) {
        // `try?`: an agent that fails has no callers.
        #expect(eventually { (try? callers(path)) == count })
    }

    /// Takes the turn, and hands a connection over that leads to no authenticator.
    private static func converse(
        _ challenge: String, connection number: Int64 = 0, passing: Bool = true, at path: String
    ) throws -> Fault.Name? {
        var agent = try connect(path)
        #expect(fault(try agent.call(Agent.WaitForTurn(), until: .now + patience)) == nil)
        let other = try connect(path)
        try agent.send(
            Agent.Converse(challenge: challenge, connection: number), passing: passing ? other.number : nil,
            until: .now + patience)
        return fault(try agent.receive(Agent.Converse.Reply.self, until: .now + patience))
    }

    @Test func aTurnEndsWithItsConversationAlthoughTheCallerStays() throws {
        try serving { (path) throws in
            var first = try Self.connect(path)
            var second = try Self.connect(path)
            #expect(Self.fault(try first.call(Agent.WaitForTurn(), until: .now + patience)) == nil)
            // Who has the turn does not wait for it.
            #expect(
                Self.fault(try first.call(Agent.WaitForTurn(), until: .now + patience)) == .agentInvalidArgument)
            try second.send(Agent.WaitForTurn(), until: .now + patience)
            Self.expect(2, at: path)
            let converse = Agent.Converse(challenge: "c1", connection: 0)
            #expect(Self.fault(try first.call(converse, until: .now + patience)) == .agentConnectionRefused)
            #expect(Self.fault(try second.receive(Agent.WaitForTurn.Reply.self, until: .now + patience)) == nil)
            #expect(Self.fault(try first.call(converse, until: .now + patience)) == .agentInvalidArgument)
            #expect(try Self.callers(path) == 1)
        }
    }

    @Test func aTurnEndsWithItsCaller() throws {
        try serving { (path) throws in
            var second = try Self.connect(path)
            do {
                var first = try Self.connect(path)
                #expect(Self.fault(try first.call(Agent.WaitForTurn(), until: .now + patience)) == nil)
                try second.send(Agent.WaitForTurn(), until: .now + patience)
                Self.expect(2, at: path)
            }
            #expect(Self.fault(try second.receive(Agent.WaitForTurn.Reply.self, until: .now + patience)) == nil)
            #expect(try Self.callers(path) == 1)
        }
    }

    @Test func whereNobodyIsNobodyHoldsTheTurn() throws {
        try serving(hasDisplay: false) { (path) throws in
            var first = try Self.connect(path)
            var second = try Self.connect(path)
            for _ in 0..<2 {
                #expect(Self.fault(try first.call(Agent.WaitForTurn(), until: .now + patience)) == .agentNobodyHere)
                #expect(Self.fault(try second.call(Agent.WaitForTurn(), until: .now + patience)) == .agentNobodyHere)
            }
            #expect(try Self.callers(path) == 0)
        }
    }

    /// One that just fits is refused only because its connection leads elsewhere.
    @Test func aChallengeHasItsLength() throws {
        try serving { (path) throws in
            func text(_ count: Int) -> String { String(repeating: "c", count: count) }
            for count in [1, 256] { #expect(try Self.converse(text(count), at: path) == .agentConnectionRefused) }
            for count in [0, 257] { #expect(try Self.converse(text(count), at: path) == .agentInvalidArgument) }
            #expect(try Self.converse("c", connection: 1, at: path) == .agentConnectionRefused)
            #expect(try Self.converse("c", passing: false, at: path) == .agentConnectionRefused)
        }
    }

    @Test func aCallAndANameHaveTheirLength() throws {
        try serving { (path) throws in
            func update(_ count: Int) throws -> Fault.Name? {
                var agent = try Self.connect(path)
                let name = String(repeating: ":", count: count)
                return Self.fault(try agent.call(Agent.Update(display: .init(x11: name)), until: .now + patience))
            }
            #expect(try update(4096) == nil)
            for count in [4097, 32_000] { #expect(try update(count) == .agentInvalidArgument) }
            #expect(throws: TransportFailure.self) { try update(33_000) }
        }
    }

    /// So many are served at once, and one that ends makes room.
    @Test func soManyAreConnected() throws {
        try serving { (path) throws in
            var open: [Int32] = []
            defer { for number in open { close(number) } }
            // The watcher is one of them.
            for _ in 0..<31 {
                var connection = try Self.connect(path)
                #expect(Self.fault(try connection.call(Agent.GetState(), until: .now + patience)) == nil)
                open.append(fcntl(connection.number, F_DUPFD_CLOEXEC, 0))
            }
            var refused = try Self.connect(path)
            #expect(
                Self.fault(try refused.receive(Agent.GetState.Reply.self, until: .now + patience))
                    == .agentLimitExceeded)
            close(open.removeLast())
            // `try?`: it is refused until the agent has noticed.
            #expect(eventually { (try? Self.callers(path)) == 0 })
        }
    }

    private static func place(_ path: String) throws -> String? {
        var agent = try connect(path)
        guard case .reply(let state, _) = try agent.call(Agent.GetState(), until: .now + patience) else { return nil }
        return state.place
    }

    private static func turn(_ path: String, at display: FakeDisplay? = nil) throws -> String? {
        var agent = try connect(path)
        let wait = Agent.WaitForTurn(display: display.map { .init(wayland: $0.name) })
        guard case .reply(let turn, _) = try agent.call(wait, until: .now + patience) else { return nil }
        return turn.place
    }

    /// Somebody takes the session up again at another display.
    @Test func anAgentAsksAtTheDisplayThatItWasGivenLater() throws {
        let scratch = try Scratch()
        let display = try FakeDisplay(in: scratch)
        try serving(hasDisplay: false) { (path) throws in
            #expect(try Self.place(path) == nil)
            var agent = try Self.connect(path)
            let update = Agent.Update(display: .init(wayland: display.name))
            guard case .reply(let reply, _) = try agent.call(update, until: .now + patience) else {
                Issue.record("the display was refused")
                return
            }
            #expect(reply.place?.contains(display.name) == true)
            #expect(try Self.place(path) == reply.place)
            #expect(try Self.turn(path) == reply.place)
            // A display that is gone takes the place away.
            let gone = Agent.Update(display: .init(wayland: display.name + "-gone"))
            guard case .reply(let none, _) = try agent.call(gone, until: .now + patience) else { return }
            #expect(none.place == nil)
            #expect(try Self.turn(path) == nil)
        }
        withExtendedLifetime((scratch, display)) {}
    }

    @Test func aCallersOwnDisplayComesFirst() throws {
        let scratch = try Scratch()
        let display = try FakeDisplay(in: scratch)
        try serving { (path) throws in
            let usual = try Self.turn(path)
            #expect(usual?.contains(display.name) == false)
            #expect(try Self.turn(path, at: display)?.contains(display.name) == true)
            #expect(try Self.turn(path) == usual)
        }
        withExtendedLifetime((scratch, display)) {}
    }
}
