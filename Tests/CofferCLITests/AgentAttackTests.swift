import BrokerProtocol
import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Coffer

/// Attacker 4 hands its connection to the authenticator over to an agent, keeps a copy, and takes bytes out of it before the agent reads them.
@Suite struct AgentAttackTests {
    private static let ctrlC = "\u{3}"
    private static let notice = """
        Read these 3 items:
          "mail" / "me"
          "bank" / "me"
          "wifi" / "me"
        """

    /// The authenticator's side is played here, so that the attacker has all the time that it needs: the agent has read the beginning of the notice, and is
    /// stopped while the attacker takes exactly one line of it away. What is left would be a message like any other.
    @Test func noLineOfANoticeCanBeTakenAway() throws {
        let attacker = Box<CopiedConnection>()
        let agent = Box<pid_t>()
        let message = FakeServer.encode(
            VarlinkReply(Authentication.Step(message: .init(style: .info, text: Self.notice), done: false, step: 1)))
        let line = try #require(Data(message).range(of: Data(#"  \"bank\" / \"me\"\n"#.utf8)))
        let parts = [message[..<line.lowerBound], message[line], message[line.upperBound...]].map(Array.init)
        let password = Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false, step: 2)
        let fixture = AgentFixture(
            coffer: try FakeCoffer(
                authenticator: [
                    "Begin": [
                        .parts(parts) { index, number in
                            guard let pid = agent.value else { return }
                            if index == 1 {
                                // The agent has what was sent.
                                #expect(eventually { Self.unread(of: number) == 0 })
                                kill(pid, SIGSTOP)
                                #expect(eventually { Self.isStopped(pid) })
                            } else if index == 2 {
                                attacker.value?.take()
                                kill(pid, SIGCONT)
                            }
                        }
                    ], "Continue": [.answer(password), .answer(Authentication.Step(message: nil, done: true))],
                ]))
        let reply = Box<Agent.Converse.Reply>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    agent.value = pid_t(try fixture.client.call(Agent.GetState()).pid)
                    attacker.value = try CopiedConnection(
                        to: fixture.coffer.scratch.file("auth.sock"), handing: "c1", to: fixture.path)
                },
                .init(wait: "Password: ", type: "x\r"),
                .init(wait: "\n", type: Self.ctrlC) { reply.value = try attacker.value?.outcome() },
            ])
        #expect(result.screen.contains(#""bank" / "me""#), "\(result)")
        #expect(attacker.value?.taken.isEmpty == true)
        #expect(reply.value?.failure == nil && reply.value != nil)
    }

    /// With the real authenticator, and an attacker that takes whatever comes from the first moment on.
    @Test func aCallersCopyOfItsConnectionStaysEmpty() throws {
        let sandbox = try Sandbox()
        let broker = sandbox.folder + "/coffer.sock"
        let program = Program(environment: ["COFFER_SOCKET": broker], scratch: sandbox.scratch)
        // More than an agent takes at once.
        let names = (0..<10).map { "item-\($0)-" + String(repeating: "x", count: 500) }
        for name in names {
            #expect(try program.run("set", "s", name, "--require", "presence", input: .bytes([65])).status == 0)
        }
        var connection = try VarlinkConnection(path: broker, until: .now + patience)
        let wanted = Keychain.GetAll(items: names.map { .init(service: "s", account: $0) })
        guard case .fault(let fault) = try connection.call(wanted, until: .now + patience) else {
            Issue.record("nobody has to be asked")
            return
        }
        let challenge = try #require(fault.details.challenge)
        let attacker = Box<CopiedConnection>()
        let reply = Box<Agent.Converse.Reply>()
        let result = try program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    attacker.value = try CopiedConnection(
                        to: sandbox.folder + "/auth.sock", handing: challenge,
                        to: sandbox.folder + "/agent-terminal.sock", takingAlways: true)
                },
                .init(wait: "assword: ", type: "sandbox\r"),
                .init(wait: "\n", type: Self.ctrlC) { reply.value = try attacker.value?.outcome() },
            ])
        #expect(reply.value?.failure == nil && reply.value != nil, "\(result)")
        #expect(attacker.value?.taken.isEmpty == true)
        // Long names go on in the next line.
        let shown = result.screen.replacing("\r\n   ", with: "")
        for name in names { #expect(shown.contains(name)) }
    }

    /// An agent that was started below a lease asks for its callers all the same: the kernel names the caller, and not the agent.
    @Test func anAgentsLeaseIsNothingToItsCallers() throws {
        let sandbox = try Sandbox()
        let program = Program(
            environment: ["COFFER_SOCKET": sandbox.folder + "/coffer.sock"], scratch: sandbox.scratch)
        let answer = Program.Turn(wait: "assword: ", type: "sandbox\r")
        _ = try program.run("unlock", turns: [answer])
        #expect(try program.run("set", "s", "gated", "--require", "presence", input: .bytes([65])).status == 0)
        let (caller, end) = (Box<Subprocess>(), Box<Int32>())
        let result = try program.run(
            "run", "--lease", "10m", "--items", "s/gated", "--", Program.path, "agent",
            turns: [
                answer,
                .init(wait: AgentFixture.banner, type: "") {
                    caller.value = try Subprocess(Program.path, ["get", "s", "gated"]) {
                        $0.environment = program.environment
                        $0.leadsSession = true
                        $0.output = .pipe
                    }
                },
                answer,
                .init(wait: "\n", type: Self.ctrlC) { end.value = try caller.value?.wait(until: .now + patience) },
            ])
        #expect(end.value == 0, "\(result)")
        #expect(try caller.value?.readAll() == [65])
        let pid = try #require(caller.value?.pid)
        let shown = result.screen.replacing("\r\n    ", with: " ")
        #expect(shown.contains("(process \(pid), "), "\(result.screen)")
    }

    /// What the peer of a socket has not read (unix(7), SIOCOUTQ).
    private static func unread(of number: Int32) -> Int32 {
        var count: Int32 = -1
        return unsafe ioctl(number, UInt(0x5411), &count) == 0 ? count : -1
    }

    private static func isStopped(_ pid: pid_t) -> Bool {
        // `try?`: a process that is gone is not stopped.
        let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return stat.split(separator: ")").last?.hasPrefix(" T") == true
    }
}

/// A connection that was handed to an agent, and of which this process has a copy.
private final class CopiedConnection: Sendable {
    private let copy: Int32
    private let agent: Int32
    private let state = Mutex<(taken: [UInt8], isDone: Bool)>(([], false))

    /// - Parameter takingAlways: whether a thread takes all that comes, until the connection ends.
    init(to authenticator: String, handing challenge: String, to path: String, takingAlways: Bool = false) throws {
        let connection = try VarlinkConnection(path: authenticator, until: .now + patience)
        copy = fcntl(connection.number, F_DUPFD_CLOEXEC, 0)
        var agent = try VarlinkConnection(path: path, until: .now + patience)
        self.agent = fcntl(agent.number, F_DUPFD_CLOEXEC, 0)
        _ = try agent.call(Agent.WaitForTurn(), until: .now + patience)
        if takingAlways {
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.isDone }), take() {}
            }
        }
        try agent.send(
            Agent.Converse(challenge: challenge, connection: 0), passing: connection.number, until: .now + patience)
    }

    deinit { close(copy) }

    var taken: [UInt8] { state.withLock { $0.taken } }

    /// Takes what is there.
    /// - Returns: false when the connection has ended.
    @discardableResult
    func take() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let withoutWaiting: Int32 = 0x40  // MSG_DONTWAIT
        let count = unsafe recv(copy, &bytes, bytes.count, withoutWaiting)
        if count > 0 { state.withLock { $0.taken += bytes[..<count] } }
        return count != 0
    }

    /// Waits for the agent's answer.
    func outcome() throws -> Agent.Converse.Reply? {
        var connection = VarlinkConnection(adopting: UnixSocket(adopting: Descriptor(adopting: agent)))
        guard case .reply(let reply, _) = try connection.receive(Agent.Converse.Reply.self, until: .now + patience)
        else { return nil }
        state.withLock { $0.isDone = true }
        return reply
    }
}
