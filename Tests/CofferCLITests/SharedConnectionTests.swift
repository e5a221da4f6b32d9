import BrokerProtocol
import Dispatch
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// The calls of one command share a connection, as long as the next answer on it can only be the next call's.
@Suite struct SharedConnectionTests {
    private static let exists = FakeServer.Step.answer(Keychain.Exists.Reply(exists: true))
    private static let call = Keychain.Exists(service: "a", account: "b")

    private static func isThere(_ client: BrokerClient) throws -> Bool {
        guard case .reply(let reply, _) = try client.call(call) else { throw Unexpected() }
        return reply.exists
    }

    /// Takes a call, and sends the answers.
    private static func answer(_ connection: consuming Descriptor, _ answers: [[UInt8]]) -> UnixSocket {
        var socket = UnixSocket(adopting: connection)
        // `try?`: what is not received or sent fails the call, and the test sees that.
        _ = try? socket.receiveMessage(limit: 4096, until: .now + .seconds(60))
        for answer in answers { try? socket.send(answer) }
        return socket
    }

    @Test func callsThatFollowEachOtherShareOne() throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let server = try FakeServer(path: path, ["Exists": [Self.exists]])
        let client = BrokerClient(path: path)
        for _ in 0..<3 { #expect(try Self.isThere(client)) }
        #expect(server.connections == 1 && server.calls("Exists").count == 3)
        // Another command has its own.
        #expect(try Self.isThere(BrokerClient(path: path)))
        #expect(server.connections == 2)
    }

    @Test(
        "after an error that may end the connection, the next call makes a new one",
        arguments: [
            (Fault.Name.limitExceeded, 2), (.invalidArgument, 2), (.failed, 2), (.notFound, 1), (.locked, 1),
        ])
    func afterAnError(_ name: Fault.Name, _ connections: Int) throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let server = try FakeServer(path: path, ["Exists": [.fault(name, "no"), Self.exists]])
        let client = BrokerClient(path: path)
        let refused = if case .fault(let fault) = try client.call(Self.call) { fault.name } else { nil as Fault.Name? }
        #expect(refused == name)
        #expect(try Self.isThere(client))
        #expect(server.connections == connections)
    }

    @Test(
        "a connection that was closed, or has an answer that nobody asked for, is not used again",
        arguments: [false, true])
    func afterTheAnswer(_ sendsAnother: Bool) throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let number = try UnixListener(path: path, mode: 0o666).release()
        let isDone = DispatchSemaphore(value: 0)
        let yes = FakeServer.encode(VarlinkReply(Keychain.Exists.Reply(exists: true)))
        let no = FakeServer.encode(VarlinkReply(Keychain.Exists.Reply(exists: false)))
        Thread.detachNewThread {
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // `try?`: without a connection the calls fail, and the test sees that.
            guard let first = try? listener.accept() else { return }
            var held: UnixSocket? = Self.answer(first, sendsAnother ? [yes, yes] : [yes])
            if !sendsAnother { held = nil }
            isDone.signal()
            // `try?`: as above, without the second one.
            guard let second = try? listener.accept() else { return }
            _ = Self.answer(second, [no])
            // Until here, because the end of the connection would be noticed as well.
            _ = held.take()
        }
        let client = BrokerClient(path: path, patience: .seconds(60))
        #expect(try Self.isThere(client))
        #expect(isDone.wait(timeout: .now() + 60) == .success)
        #expect(try !Self.isThere(client))
    }
}

private struct Unexpected: Error {}
