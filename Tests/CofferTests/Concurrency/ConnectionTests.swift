import BrokerProtocol
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// The connections that a process keeps to the broker.
@Suite("A program keeps one connection, and uses none that may end")
struct ConnectionTests {
    private static let yes = VarlinkReply(Wire.Exists.Reply(exists: true))

    @Test("calls that follow each other share one connection")
    func shared() async throws {
        let broker = try PlayedBroker([
            "Exists": [.answer(Wire.Exists.Reply(exists: true))], "List": [.answer(Wire.ItemsReply(items: []))],
        ])
        for _ in 0..<3 {
            #expect(try await broker.keychain().exists("me"))
            #expect(try await broker.keychain().list().isEmpty)
        }
        #expect(broker.server.connections == 1)
    }

    @Test(
        "after an error that may end the connection, the next call makes a new one",
        arguments: [
            (Fault.Name.limitExceeded, 2), (.invalidArgument, 2), (.failed, 2), (.notFound, 1), (.locked, 1),
        ])
    func afterAnError(name: Fault.Name, connections: Int) async throws {
        let broker = try PlayedBroker([
            "Show": [.fault(name, "no"), .answer(Wire.ItemReply(item: PlayedBroker.item()))],
            "List": [.fault(name, "no"), .answer(Wire.ItemsReply(items: [PlayedBroker.item()]))],
        ])
        let code = KeychainError(brokerFault: Fault(name, "no")).code
        await refused(code) { () throws(KeychainError) in _ = try await broker.keychain().attributes(of: "me") }
        #expect(try await broker.keychain().attributes(of: "me").account == "me")
        #expect(broker.server.connections == connections)
        // The same for an answer in several replies.
        await refused(code) { () throws(KeychainError) in _ = try await broker.keychain().list() }
        #expect(try await broker.keychain().list().count == 1)
        #expect(broker.server.connections == 2 * connections - 1)
    }

    @Test("a connection that the broker has closed is not used again")
    func closed() async throws {
        let reply = FakeServer.encode(Self.yes)
        let broker = try PlayedBroker(["Exists": [.replyThenLate(reply, late: nil), .reply(reply)]])
        #expect(try await broker.keychain().exists("me"))
        // The end may come a moment after the answer, and a call on such a connection fails.
        let isAnswered = try await eventually {
            do throws(KeychainError) { return try await broker.keychain().exists("me") } catch {
                return error.code != .brokerUnreachable
            }
        }
        #expect(isAnswered)
        #expect(broker.server.connections >= 2)
    }

    /// The second answer would say of the next item whether it exists.
    @Test("what comes without a call is not the next call's answer")
    func unasked() async throws {
        let no = FakeServer.encode(VarlinkReply(Wire.Exists.Reply(exists: false)))
        let yes = FakeServer.encode(Self.yes)
        let broker = try PlayedBroker(["Exists": [.reply(yes + no), .reply(yes)]])
        #expect(try await broker.keychain().exists("me"))
        #expect(try await broker.keychain().exists("you"))
        #expect(broker.server.connections == 2)
    }

    /// Whether the other end has closed this connection.
    private static func isEnded(_ number: Int32) -> Bool {
        var byte: UInt8 = 0
        let peekWithoutWaiting: Int32 = 0x42  // MSG_PEEK, MSG_DONTWAIT
        return unsafe recv(number, &byte, 1, peekWithoutWaiting) == 0
    }

    /// Its user's other programs need connections, too.
    @Test("of the connections that calls at once needed, one is kept")
    func several() async throws {
        let copies = Mutex<[Int32]>([])
        let isFull = DispatchSemaphore(value: 0)
        let broker = try PlayedBroker([
            "Exists": [
                .parts([FakeServer.encode(Self.yes)]) { _, number in
                    let count = copies.withLock { copies in
                        copies.append(fcntl(number, F_DUPFD_CLOEXEC, 0))
                        return copies.count
                    }
                    // All answers come when all calls are there.
                    if count == CallLimits.connections {
                        for _ in 0..<CallLimits.connections { isFull.signal() }
                    }
                    if count <= CallLimits.connections { isFull.wait() }
                }
            ]
        ])
        defer { for copy in copies.withLock({ $0 }) { close(copy) } }
        let calls = (0..<CallLimits.connections).map { number in
            Task { try await broker.keychain().exists("\(number)") }
        }
        for call in calls { #expect(try await call.value) }
        #expect(broker.server.connections == CallLimits.connections)
        let ended = { copies.withLock { $0.count(where: Self.isEnded) } }
        #expect(try await eventually { ended() >= CallLimits.connections - 1 })
        #expect(try await broker.keychain().exists("one more"))
        #expect(broker.server.connections == CallLimits.connections)
        #expect(ended() == CallLimits.connections - 1)
    }
}

extension SharedReadsTests {
    /// The person is asked by a read that everybody has left. Who comes now is no part of it.
    @Test func aReadThatEverybodyHasLeftIsJoinedByNobody() async throws {
        let (reads, key) = (SharedReads(), Self.anyKey)
        let (began, left) = (Tally(), Tally())
        let (beforeAsking, afterAsking) = (Gate(), Gate())
        func read() -> Task<String, Never> {
            Task {
                defer { left.add() }
                do throws(KeychainError) {
                    _ = try await reads.items(key) { (person) throws(KeychainError) in
                        began.add()
                        let number = began.count
                        await beforeAsking.pass()
                        person.begin()
                        await afterAsking.pass()
                        throw KeychainError(.failed, "read \(number)")
                    }
                    return "nothing"
                } catch { return error.message }
            }
        }
        let first = read()
        #expect(try await eventually { began.count == 1 && beforeAsking.waiting == 1 })
        first.cancel()
        #expect(try await eventually { left.count == 1 })
        let second = read()
        #expect(try await eventually { reads.waiting == 1 })
        beforeAsking.open()
        #expect(try await eventually { afterAsking.waiting == 1 })
        let third = read()
        #expect(try await eventually { reads.waiting == 2 })
        afterAsking.open()
        #expect(await second.value == "read 2")
        #expect(await third.value == "read 2")
        #expect(began.count == 2 && reads.waiting == 0)
    }

    /// They came while the broker had the call, and before it said that a person is needed.
    @Test func whoWaitsForTheNextReadJoinsTheOneThatAsks() async throws {
        let (reads, key) = (SharedReads(), Self.anyKey)
        let began = Tally()
        let (beforeAsking, afterAsking, never) = (Gate(), Gate(), Gate())
        func read() -> Task<String, Never> {
            Task {
                do throws(KeychainError) {
                    _ = try await reads.items(key) { (person) throws(KeychainError) in
                        began.add()
                        let number = began.count
                        if number > 1 { await never.pass() }
                        await beforeAsking.pass()
                        person.begin()
                        await afterAsking.pass()
                        throw KeychainError(.failed, "read \(number)")
                    }
                    return "nothing"
                } catch { return error.message }
            }
        }
        let first = read()
        #expect(try await eventually { beforeAsking.waiting == 1 })
        let second = read()
        #expect(try await eventually { reads.waiting == 2 })
        beforeAsking.open()
        #expect(try await eventually { afterAsking.waiting == 1 })
        afterAsking.open()
        #expect(await first.value == "read 1")
        #expect(await second.value == "read 1")
        // Nothing is left to be read once more.
        #expect(reads.waiting == 0 && began.count == 1)
        never.open()
    }

    private static var anyKey: SharedReads.Key {
        SharedReads.Key(items: [ItemName(service: "s", account: "b")], request: ReadRequest(), vault: .own)
    }
}

/// Objects that a process has once.
@Suite struct WhileInUseTests {
    private final class Thing: Sendable {}

    @Test func anObjectIsTheSameAsLongAsSomebodyHasIt() {
        let things = WhileInUse<String, Thing>()
        let made = Mutex(0)
        func thing(_ key: String) -> Thing {
            things.object(for: key) {
                made.withLock { $0 += 1 }
                return Thing()
            }
        }
        do {
            let one = thing("a")
            #expect(thing("a") === one && thing("b") !== one)
            withExtendedLifetime(one) {}
        }
        let count = made.withLock { $0 }
        _ = thing("a")
        #expect(made.withLock { $0 } == count + 1)
    }
}
